import { tool } from "@langchain/core/tools";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from "vitest";
import { z } from "zod";
import { createAgent, InvalidOptionError, ThreadsDatabaseError } from "../../../src/index.js";
import { usualLimits } from "../../../src/postgres/time-limits.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { ThreadCheckpointer } from "../../../src/threads/checkpoints/checkpointer.js";
import type { Database } from "../../../src/threads/databases/database.js";
import { openPostgres } from "../../../src/threads/databases/postgres.js";
import { openThreads } from "../../../src/threads/open.js";
import { type OwnPostgres, startPostgres } from "../../helpers/postgres.js";
import { openProxy, type TcpProxy } from "../../helpers/tcp-proxy.js";

const short = { connectTimeoutMs: 400, lockTimeoutMs: 400, queryTimeoutMs: 800 };
const thread = { configurable: { thread_id: "t" } };

let server: OwnPostgres;
beforeAll(async () => {
  server = await startPostgres();
}, 180_000);
afterAll(() => server.stop(), 30_000);

let schema: Awaited<ReturnType<OwnPostgres["createSchema"]>>;
let proxy: TcpProxy;
let opened: Database[];
beforeEach(async () => {
  schema = await server.createSchema();
  proxy = await openProxy(schema.url);
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((database) => database.close()));
  await proxy.close();
});

async function open(limits = short): Promise<Database> {
  const database = await openPostgres(proxy.url, limits);
  opened.push(database);
  return database;
}

/** The message of what a promise is rejected with. */
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => "",
    (error: unknown) => (error instanceof ThreadsDatabaseError ? error.message : `not explained: ${error}`),
  );

describe("a query", () => {
  it("waits for a free connection as long as it takes", async () => {
    const database = await open({ ...usualLimits, connectTimeoutMs: 400 });
    const all = Array.from({ length: 40 }, () => database.all("select pg_sleep(0.3)"));
    expect((await Promise.allSettled(all)).filter(({ status }) => status === "rejected")).toEqual([]);
  });

  it("that takes too long is stopped, on the server too, and the next query works", async () => {
    const database = await open();
    expect(await failure(database.all("select pg_sleep(60)"))).toMatch(/queryTimeoutMs|silent/);
    await expect
      .poll(() => server.query("select 1 from pg_stat_activity where state = 'active' and query like '%pg_sleep(60)'"))
      .toEqual([]);
    expect(await database.all("select 1 as one")).toEqual([{ one: 1 }]);
  });

  it("that waits for a lock ends with an error that says so", async () => {
    const database = await open();
    const other = new pg.Client(schema.url);
    await other.connect();
    try {
      await other.query("begin; lock table glassloop_meta in access exclusive mode");
      expect(await failure(database.all("select * from glassloop_meta"))).toContain("lockTimeoutMs");
    } finally {
      await other.end();
    }
  });
});

describe("a network that stalls", () => {
  it("ends all queries, with one connection attempt for those that wait", async () => {
    const database = await open();
    await database.all("select 1");
    proxy.stall();
    const before = proxy.opened();
    const failures = await Promise.all(Array.from({ length: 100 }, () => failure(database.all("select 1"))));
    expect(failures.filter((message) => !/silent|does not answer/.test(message))).toEqual([]);
    expect(proxy.opened() - before).toBeLessThan(25);
    proxy.heal();
    await expect.poll(() => database.all("select 1 as one"), { timeout: 10_000 }).toEqual([{ one: 1 }]);
  });

  it("lets threads be closed, also while a transaction runs", async () => {
    const database = await open();
    const transaction = failure(
      database.transact(async function* () {
        for (;;) yield { sql: "select 1", parameters: [] };
      }),
    );
    const query = failure(database.all("select 1"));
    proxy.stall();
    await database.close();
    expect(await query).not.toContain("not explained");
    expect(await transaction).not.toContain("not explained");
  });

  it("makes opening fail", async () => {
    proxy.stall();
    expect(await failure(openPostgres(proxy.url, short))).toContain("does not answer");
  });
});

describe("a run whose connection breaks", () => {
  const step = " I look\nAction: look\nAction Input: up";
  const answer = " I know\nFinal Answer: done";
  const look = (action: () => void) =>
    tool(
      async () => {
        action();
        return "seen";
      },
      { name: "look", description: "looks", schema: z.object({ input: z.string() }) },
    );

  it("has an error with canResume true, and can be resumed", async () => {
    await using threads = await openThreads(proxy.url, short);
    let stall = () => proxy.stall();
    const agentWith = (replies: readonly string[]) =>
      createAgent({
        model: scriptedModel(replies),
        protocol: "react",
        rephrase: false,
        checkpointer: threads.checkpointer,
        tools: [look(() => stall())],
      });
    const error: unknown = await agentWith([step, answer])
      .invoke({ messages: "q" }, thread)
      .catch((error: unknown) => error);
    expect(error).toMatchObject({ name: "ThreadsDatabaseError", canResume: true });
    expect(String(error)).toContain("agent.invoke(null, config)");
    stall = () => {};
    proxy.heal();
    await expect.poll(async () => (await threads.get("t").catch(() => undefined))?.id, { timeout: 10_000 }).toBe("t");
    expect(await agentWith([answer]).invoke(null, thread)).toMatchObject({ answer: "done" });
  });

  it("has an error with canResume false if its question was not stored", async () => {
    await using threads = await openThreads(proxy.url, short);
    const { checkpointer } = threads;
    if (!(checkpointer instanceof ThreadCheckpointer)) throw new Error("The checkpointer is not ours.");
    const { database } = checkpointer;
    const batch = database.batch.bind(database);
    database.batch = (statements) => {
      proxy.stall();
      return batch(statements);
    };
    const agent = createAgent({
      model: scriptedModel([answer]),
      protocol: "react",
      rephrase: false,
      checkpointer: threads.checkpointer,
    });
    const error: unknown = await agent.invoke({ messages: "q" }, thread).catch((error: unknown) => error);
    expect(error).toMatchObject({ name: "ThreadsDatabaseError", canResume: false });
    expect(String(error)).toContain("Send that again");
  });
});

test.each([
  { queryTimeoutMs: 0 },
  { connectTimeoutMs: 1.5 },
  { lockTimeoutMs: 2 ** 31 },
  { lockTimeoutMs: "1" },
  { timeout: 1 },
])("the options %j are refused", async (options) => {
  await expect(Reflect.apply(openThreads, undefined, ["memory:", options])).rejects.toThrow(InvalidOptionError);
});
