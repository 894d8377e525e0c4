import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from "vitest";
import { InvalidOptionError, ThreadsDatabaseError } from "../../../src/index.js";
import { usualLimits } from "../../../src/postgres/time-limits.js";
import type { Database } from "../../../src/threads/databases/database.js";
import { openPostgres } from "../../../src/threads/databases/postgres.js";
import { openThreads } from "../../../src/threads/open.js";
import { type OwnPostgres, startPostgres } from "../../helpers/postgres.js";
import { openProxy, type TcpProxy } from "../../helpers/tcp-proxy.js";

const short = { connectTimeoutMs: 1_000, lockTimeoutMs: 1_000, queryTimeoutMs: 2_000 };

let server: OwnPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

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
    const database = await open({ ...usualLimits, connectTimeoutMs: 1_000 });
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
    await expect.poll(() => database.all("select 1 as one")).toEqual([{ one: 1 }]);
  });

  it("lets threads be closed, also while a transaction runs", async () => {
    const database = await open();
    const transaction = failure(database.batch([{ sql: "select pg_sleep(60)", parameters: [] }]));
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

test.each([
  { queryTimeoutMs: 0 },
  { connectTimeoutMs: 1.5 },
  { lockTimeoutMs: 2 ** 31 },
  { lockTimeoutMs: "1" },
  { timeout: 1 },
])("the options %j are refused", async (options) => {
  await expect(Reflect.apply(openThreads, undefined, ["memory:", options])).rejects.toThrow(InvalidOptionError);
});
