import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ThreadError, ThreadInUseError } from "../../../src/base/errors.js";
import { usualLimits } from "../../../src/postgres/time-limits.js";
import type { Database } from "../../../src/threads/databases/database.js";
import { openPostgres } from "../../../src/threads/databases/postgres.js";
import { ThreadGuard } from "../../../src/threads/guard/guard.js";
import { readGuard, renewGuards, replaceGuard } from "../../../src/threads/guard/rows.js";
import { coded } from "../../helpers/coded.js";
import { type OwnPostgres, startPostgres } from "../../helpers/postgres.js";
import { startPooler } from "../../helpers/postgres-pooler.js";
import { openProxy } from "../../helpers/tcp-proxy.js";

const times = { heartbeat: 50, expiry: 10_000, poll: 10, patience: 200 };
const impatient = { connectTimeoutMs: 1_000, lockTimeoutMs: 1_000, queryTimeoutMs: 1_000 };

let server: OwnPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

describe("the guard of threads in Postgres", () => {
  let schema: Awaited<ReturnType<OwnPostgres["createSchema"]>>;
  let databases: Database[];
  beforeEach(async () => {
    schema = await server.createSchema();
    databases = [];
  });
  afterEach(async () => {
    await Promise.all(databases.map((database) => database.close()));
    await schema.remove();
  });

  async function openDatabase(url = schema.url, limits = usualLimits): Promise<Database> {
    const database = await openPostgres(url, limits);
    databases.push(database);
    return database;
  }

  async function openGuard(url = schema.url, some = times): Promise<ThreadGuard> {
    return new ThreadGuard(await openDatabase(url), some);
  }

  it("keeps its thread when the server is restarted", async () => {
    const [guard, other] = [await openGuard(), await openGuard()];
    const hold = await guard.take("t");
    await server.restart();
    await sleep(10 * times.heartbeat);
    expect(hold.signal.aborted).toBe(false);
    await expect(other.take("t")).rejects.toThrow(ThreadInUseError);
    await hold.release();
    await (await other.take("t")).release();
  });

  it("notices that another process took its thread while its connection was broken", async () => {
    // The first one does not come back before the other one has looked, but when it hears of something.
    const guard = await openGuard(schema.url, { ...times, heartbeat: 3_600_000 });
    const database = await openDatabase();
    const other = new ThreadGuard(database, times);
    const hold = await guard.take("t");
    await server.query("select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'");
    const taken = await other.take("t", "enqueue");
    const isTold = () => {
      database.listen?.send("interrupt");
      return hold.signal.aborted;
    };
    await expect.poll(isTold).toBe(true);
    await hold.release();
    await expect(guard.take("t")).rejects.toThrow(ThreadInUseError);
    await taken.release();
    await (await guard.take("t")).release();
  });

  it("hears of an interrupt by another process before the next heartbeat", async () => {
    const rare = { ...times, heartbeat: 3_600_000, expiry: 3_600_000 };
    const [guard, other] = [await openGuard(schema.url, rare), await openGuard(schema.url, rare)];
    const first = await guard.take("t");
    first.signal.addEventListener("abort", () => void first.release());
    await (await other.take("t", "interrupt")).release();
    expect(first.signal.reason).toEqual(coded(ThreadError, "thread-interrupted"));
    await Promise.all([guard.close(), other.close()]);
  });

  it("uses one connection for all its threads, and leaves no lock behind when it is closed", async () => {
    const guard = await openGuard();
    const holds = await Promise.all(Array.from({ length: 20 }, (_, index) => guard.take(`t${index}`)));
    const locks = await server.query(
      "select count(distinct pid)::int as sessions from pg_locks where locktype = 'advisory'",
    );
    expect(locks).toEqual([{ sessions: 1 }]);
    await Promise.all(holds.map((hold) => hold.release()));
    await Promise.all(databases.map((database) => database.close()));
    expect(await server.query("select 1 from pg_locks where locktype = 'advisory'")).toEqual([]);
  });

  it("frees the thread of a vanished host whose connections stay", async () => {
    const proxy = await openProxy(schema.url);
    const expiring = { ...times, expiry: 400 };
    const hold = await new ThreadGuard(await openDatabase(proxy.url, impatient), expiring).take("t");
    proxy.stall();
    const locks = await server.query("select 1 from pg_locks where locktype = 'advisory'");
    expect(locks).toHaveLength(1);
    await (await (await openGuard(schema.url, expiring)).take("t", "enqueue")).release();
    await hold.release();
    await proxy.close();
  });

  it("keeps its row until its transaction is committed: nobody takes the row meanwhile, and heartbeats go on", async () => {
    const database = await openDatabase();
    const guard = new ThreadGuard(database, times);
    const { owner } = await guard.take("t");
    const found = await readGuard(database, "t");
    if (found === undefined) throw new Error("There is no row.");
    const gate = new pg.Client(schema.url);
    await gate.connect();
    const close = "select pg_advisory_xact_lock(7)";
    await gate.query(`begin; ${close}`);
    const order: string[] = [];
    const write = guard.write("t", owner, [{ sql: close, parameters: [] }]).then(() => order.push("write"));
    const waiting = async () => (await server.query("select distinct pid from pg_locks where not granted")).length;
    await expect.poll(waiting).toBe(1);
    expect(await renewGuards(database, found.holder)).toHaveLength(1);
    const take = replaceGuard(database, found, { ...found, owner: "rival", holder: "other" }).then(() =>
      order.push("take"),
    );
    await expect.poll(async () => order.length > 0 || (await waiting()) > 1).toBe(true);
    // The take waits for the write. Two connections may tell their ends in any order.
    expect(order).toEqual([]);
    await gate.end();
    await Promise.all([write, take]);
    expect((await readGuard(database, "t"))?.owner).toBe("rival");
  });
});

describe("the guard of threads behind a pooler in transaction mode", () => {
  it("lets one run at a time hold a thread, also beside a guard without a pooler, which alone has a lock", async () => {
    const schema = await server.createSchema();
    const pooler = await startPooler(schema.url);
    const pooled = [await openPostgres(pooler.url), await openPostgres(pooler.url)];
    const direct = await openPostgres(schema.url);
    const guards = [...pooled, direct].map((database) => new ThreadGuard(database, times));
    let inside = 0;
    const turn = async (guard: ThreadGuard) => {
      const hold = await guard.take("t", "enqueue");
      inside += 1;
      expect(inside).toBe(1);
      await guard.write("t", hold.owner, []);
      await sleep(2 * times.heartbeat);
      expect(hold.signal.aborted).toBe(false);
      inside -= 1;
      await hold.release();
    };
    await Promise.all(guards.flatMap((guard) => [turn(guard), turn(guard)]));
    const [first, , other] = guards;
    const hold = await first?.take("t");
    expect(await server.query("select 1 from pg_locks where locktype = 'advisory'")).toHaveLength(1);
    await expect(other?.take("t")).rejects.toThrow(ThreadInUseError);
    await hold?.release();
    await Promise.all([...pooled, direct].map((database) => database.close()));
    await pooler.close();
    await schema.remove();
  });
});
