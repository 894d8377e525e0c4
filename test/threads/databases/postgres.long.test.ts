import { fork } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ThreadsDatabaseError } from "../../../src/base/errors.js";
import { openThreads } from "../../../src/threads/open.js";
import { type OwnPostgres, startPostgres } from "../../helpers/postgres.js";
import { question, stepsGraph } from "../steps-graph.js";

let server: OwnPostgres;

beforeAll(async () => {
  server = await startPostgres();
}, 180_000);
afterAll(() => server.stop());

const at = (thread_id: string) => ({ configurable: { thread_id } });
const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}.mjs`, import.meta.url));

/** Whether a server takes connections at the place of an address. */
function answers(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

describe("a server", () => {
  test("is used again after a restart", async () => {
    const { url } = await server.createSchema();
    await using threads = await openThreads(url);
    const graph = stepsGraph(threads.checkpointer);
    await graph.invoke({ messages: [question("q1")] }, at("t"));
    await server.restart();
    await graph.invoke({ messages: [question("q2")] }, at("t"));
    expect((await graph.getState(at("t"))).values.messages).toHaveLength(8);
  });

  test("is waited for during a restart", async () => {
    const { url } = await server.createSchema();
    await using threads = await openThreads(url);
    const graph = stepsGraph(threads.checkpointer);
    const restarted = server.restart();
    for (let turn = 0; turn < 5; turn += 1) {
      await graph.invoke({ messages: [question(`q${turn}`)] }, at(`t${turn}`)).catch((error: unknown) => {
        // What is lost on its way is told; the next turn must go well.
        expect(error).toBeInstanceOf(ThreadsDatabaseError);
      });
    }
    await restarted;
    await graph.invoke({ messages: [question("last")] }, at("last"));
    expect((await graph.getState(at("last"))).values.messages).toHaveLength(4);
  });

  test("is waited for during a short outage", async () => {
    const { url } = await server.createSchema();
    await using threads = await openThreads(url);
    await threads.list();
    let isBack = false;
    const restarted = server.restart().then(() => {
      isBack = true;
    });
    do await sleep(1);
    while (!isBack && (await answers(url)));
    await sleep(1);
    expect(await threads.list()).toEqual([]);
    await restarted;
  });

  test("that ends a connection during a query does not end the process", async () => {
    const { url } = await server.createSchema();
    await using threads = await openThreads(url);
    await threads.list();
    await server.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'glassloop'");
    expect(await threads.list()).toEqual([]);
  });
});

describe("a place that cannot be used is refused:", () => {
  const refused = async (change: (url: URL) => void) => {
    const { url } = await server.createSchema();
    const changed = new URL(url);
    change(changed);
    const error: unknown = await openThreads(changed.href).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(ThreadsDatabaseError);
    expect(String(error)).not.toContain("secret");
    return String(error);
  };

  test("a port where no server is", async () => {
    expect(
      await refused((url) => {
        url.port = "1";
        url.password = "secret";
      }),
    ).toContain("no server answers there");
  });

  test("a database that does not exist", async () => {
    expect(
      await refused((url) => {
        url.pathname = "/nothing";
      }),
    ).toContain("no database of that name");
  });

  test("a user that does not exist", async () => {
    expect(
      await refused((url) => {
        url.username = "nobody";
        url.password = "secret";
      }),
    ).toMatch(/user/);
  });

  test("a schema that does not exist", async () => {
    expect(
      await refused((url) => {
        url.searchParams.set("options", "-csearch_path=nothing");
      }),
    ).toContain("no schema");
  });

  test.each(["SQL_ASCII", "LATIN1"])("a database in the encoding %s", async (encoding) => {
    const name = `in_${encoding.toLowerCase()}`;
    await server.query(`create database ${name} template template0 encoding ${encoding} lc_collate 'C' lc_ctype 'C'`);
    const reason = await refused((url) => {
      url.pathname = `/${name}`;
      url.search = "";
    });
    expect(reason).toContain(`its encoding is ${encoding}, which cannot keep every text. Make another database`);
  });

  test("a user without rights", async () => {
    await server.query("create role reader login");
    expect(
      await refused((url) => {
        url.username = "reader";
      }),
    ).toMatch(/rights|no schema/);
  });
});

test("a user with a limit of two connections has one of them for heartbeats from the beginning", async () => {
  const { url } = await server.createSchema();
  const address = new URL(url);
  const schema = /glassloop_\w+/.exec(address.search)?.[0];
  await server.query("create role two login connection limit 2");
  await server.query(`grant all on schema ${schema} to two`);
  address.username = "two";
  await using threads = await openThreads(address.href);
  const connections = "select pid from pg_stat_activity where usename = 'two' order by pid";
  const before = await server.query(connections);
  expect(before).toHaveLength(2);
  const graph = stepsGraph(threads.checkpointer);
  await Promise.all(["t", "u", "v"].map((id) => graph.invoke({ messages: [question("q")] }, at(id))));
  expect(await threads.list()).toHaveLength(3);
  expect(await server.query(connections)).toEqual(before);
});

test("processes that start together make the tables once, and lose nothing", async () => {
  const { url } = await server.createSchema();
  const turns = 4;
  const exits = ["a", "b", "c"].map(async (name) => {
    const [code] = await once(fork(fixture("write-turns"), [url, name, String(turns)]), "exit");
    return code;
  });
  expect(await Promise.all(exits)).toEqual([0, 0, 0]);
  await using threads = await openThreads(url);
  expect(await threads.list()).toHaveLength(3 * (turns + 1) + 1);
  expect((await stepsGraph(threads.checkpointer).getState(at("b-long"))).values.messages).toHaveLength(2 * turns);
});

test("tables are made once for many callers together", async () => {
  const { url } = await server.createSchema();
  const opened = await Promise.all(Array.from({ length: 8 }, () => openThreads(url)));
  for (const threads of opened) {
    expect(await threads.list()).toEqual([]);
    await threads.close();
  }
});

test("a batch is one transaction", async () => {
  const { openPostgres } = await import("../../../src/threads/databases/postgres.js");
  const { url } = await server.createSchema();
  const database = await openPostgres(url);
  const insert = { sql: "insert into glassloop_meta (name, value) values ($1, $2)", parameters: ["a", "1"] };
  await expect(database.batch([insert, insert])).rejects.toThrow("duplicate key");
  expect(await database.all("select * from glassloop_meta where name = 'a'")).toEqual([]);
  await database.batch([insert]);
  expect(await database.all("select count(*) as n from glassloop_meta where name = 'a'")).toEqual([{ n: 1 }]);
  await database.close();
});
