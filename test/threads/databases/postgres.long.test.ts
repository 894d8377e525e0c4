import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ThreadsDatabaseError } from "../../../src/base/errors.js";
import { openThreads } from "../../../src/threads/open.js";
import { type OwnPostgres, startPostgres } from "../../helpers/postgres.js";
import { at } from "../open-kind.js";
import { question, stepsGraph } from "../steps-graph.js";

let server: OwnPostgres;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}.mjs`, import.meta.url));

test("a server is waited for during a restart", async () => {
  const { url } = await server.createSchema();
  await using threads = await openThreads(url);
  let isBack = false;
  const restarted = server.restart().then(() => {
    isBack = true;
  });
  while (!isBack) expect(await threads.list()).toEqual([]);
  await restarted;
  const graph = stepsGraph(threads.checkpointer);
  await graph.invoke({ messages: [question("q")] }, at("t"));
  expect((await graph.getState(at("t"))).values.messages).toHaveLength(4);
});

describe("a place that cannot be used is refused:", () => {
  const refused = async (change: (url: URL) => void) => {
    const { url } = await server.createSchema();
    const changed = new URL(url);
    changed.password = "secret";
    change(changed);
    const error: unknown = await openThreads(changed.href).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(ThreadsDatabaseError);
    expect(String(error)).not.toContain("secret");
    return String(error);
  };

  const changes: Record<string, [reason: RegExp, change: (url: URL) => void]> = {
    "a port where no server is": [/no server answers there/, (url) => Object.assign(url, { port: "1" })],
    "a database that does not exist": [
      /no database of that name/,
      (url) => Object.assign(url, { pathname: "/nothing" }),
    ],
    "a user that does not exist": [/user/, (url) => Object.assign(url, { username: "nobody" })],
    "a user without rights": [/rights|no schema/, (url) => Object.assign(url, { username: "reader" })],
    "a schema that does not exist": [/no schema/, (url) => url.searchParams.set("options", "-csearch_path=nothing")],
  };
  test.each(Object.entries(changes))("%s", async (_, [reason, change]) => {
    await server.query("drop role if exists reader; create role reader login");
    expect(await refused(change)).toMatch(reason);
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
