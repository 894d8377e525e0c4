import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ThreadInUseError } from "../../../src/base/errors.js";
import type { Database } from "../../../src/threads/databases/database.js";
import { openPostgres } from "../../../src/threads/databases/postgres.js";
import { ThreadGuard } from "../../../src/threads/guard/guard.js";
import { type OwnPostgres, startPostgres } from "../../helpers/postgres.js";

const times = { heartbeat: 50, expiry: 10_000, poll: 10, patience: 200 };

let server: OwnPostgres;
beforeAll(async () => {
  server = await startPostgres();
}, 180_000);
afterAll(() => server.stop(), 30_000);

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

  async function openGuard(): Promise<ThreadGuard> {
    const database = await openPostgres(schema.url);
    databases.push(database);
    return new ThreadGuard(database, times);
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

  it("learns when another one took its thread while its connection was gone", async () => {
    const [guard, other] = [await openGuard(), await openGuard()];
    const hold = await guard.take("t");
    await server.query("select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'");
    const taken = await other.take("t", "enqueue");
    await expect.poll(() => hold.signal.aborted).toBe(true);
    await hold.release();
    await expect(guard.take("t")).rejects.toThrow(ThreadInUseError);
    await taken.release();
    await (await guard.take("t")).release();
  });

  it("uses one connection for all its threads, and leaves no lock behind", async () => {
    const guard = await openGuard();
    const holds = await Promise.all(Array.from({ length: 20 }, (_, index) => guard.take(`t${index}`)));
    const locks = await server.query(
      "select count(distinct pid)::int as sessions from pg_locks where locktype = 'advisory'",
    );
    expect(locks).toEqual([{ sessions: 1 }]);
    await Promise.all(holds.map((hold) => hold.release()));
    expect(await server.query("select 1 from pg_locks where locktype = 'advisory'")).toEqual([]);
  });
});
