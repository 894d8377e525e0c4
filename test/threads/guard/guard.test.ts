import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ThreadError, ThreadInUseError, ThreadsDatabaseError } from "../../../src/base/errors.js";
import type { Database } from "../../../src/threads/databases/database.js";
import { openPostgres } from "../../../src/threads/databases/postgres.js";
import { openSqlite } from "../../../src/threads/databases/sqlite.js";
import { ThreadGuard } from "../../../src/threads/guard/guard.js";
import { thisProcess } from "../../../src/threads/guard/process.js";
import { type GuardClaim, type GuardRow, insertGuard, readGuard } from "../../../src/threads/guard/rows.js";
import { coded } from "../../helpers/coded.js";
import { needs } from "../../helpers/needs.js";
import { databases, lastingDatabases, memory, sqlite, type TestDatabase } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";

const hasLinux = needs(
  process.platform === "linux",
  "Zombies and namespaces of processes are not tried: this is not Linux.",
);

const AN_HOUR = 3_600_000;
const times = { heartbeat: 20, expiry: AN_HOUR, poll: 10, patience: AN_HOUR };

function openDatabase(url: string): Promise<Database> {
  if (url.startsWith("postgres")) return openPostgres(url);
  return openSqlite(url === "memory:" ? ":memory:" : url.slice("sqlite:".length));
}

/** The row that a run leaves behind when its process is gone. */
function rowOf(owner: Partial<GuardRow>) {
  return { thread: "t", owner: "o", holder: "h", ...thisProcess(), renewedAt: Date.now(), ...owner };
}

/** Takes a thread from any owner. */
async function putGuard(database: Database, claim: GuardClaim): Promise<void> {
  await database.batch([{ sql: "delete from glassloop_guards where thread = $1", parameters: [claim.thread] }]);
  await insertGuard(database, claim);
}

let ended: Promise<number> | undefined;

/** A process that ended. All tests need one, so that it is started once. */
function endedProcess(): Promise<number> {
  ended ??= (async () => {
    const child = spawn(process.execPath, ["-e", ""]);
    await once(child, "exit");
    return child.pid ?? 0;
  })();
  return ended;
}

/** A process that ended, and whose parent does not look after it: the system still knows it. */
async function unnoticedEnd(): Promise<number> {
  const parent = spawn("sh", ["-c", "sh -c : & echo $!; exec sleep 1000"], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(async () => {
    parent.kill("SIGKILL");
    await once(parent, "close");
  });
  const [line] = await once(createInterface(parent.stdout), "line");
  return Number(line);
}

describe.each(matrix(databases, memory))("the guard of threads in $name", (kind) => {
  let place: TestDatabase;
  let database: Database;
  let guard: ThreadGuard;
  beforeEach(async () => {
    place = await kind.create();
    database = await openDatabase(place.url);
    guard = new ThreadGuard(database, times);
  });
  afterEach(async () => {
    await guard.close();
    await database.close();
    await place.remove();
  });

  it("refuses a second run until the first has released the thread", async () => {
    const hold = await guard.take("t");
    await expect(guard.take("t")).rejects.toThrow(ThreadInUseError);
    expect(await guard.isRunning("t")).toBe(true);
    await (await guard.take("another")).release();
    await hold.release();
    expect(await guard.isRunning("t")).toBe(false);
    await (await guard.take("t")).release();
    await hold.release();
  });

  it("serves waiting runs in their order, also when one of them leaves", async () => {
    const first = await guard.take("t");
    const order: string[] = [];
    const leaving = new AbortController();
    const turn = async (name: string, strategy: "enqueue" | "interrupt", signal?: AbortSignal) => {
      const hold = await guard.take("t", strategy, signal);
      order.push(name);
      await sleep(5);
      await hold.release();
    };
    const ahead = turn("a", "enqueue");
    const left = turn("b", "enqueue", leaving.signal);
    const behind = [turn("c", "interrupt"), turn("d", "enqueue")];
    leaving.abort(new Error("left"));
    await expect(left).rejects.toThrow("left");
    await sleep(5 * times.poll);
    expect([order, first.signal.aborted]).toEqual([[], false]);
    await first.release();
    await Promise.all([ahead, ...behind]);
    expect(order).toEqual(["a", "c", "d"]);
  });

  it("does not stop a run that is ending", async () => {
    let store = () => {};
    const stored = new Promise<undefined>((resolve) => {
      store = () => resolve(undefined);
    });
    const ending = new ThreadGuard(database, times, () => stored);
    const first = await ending.take("t");
    const released = first.release();
    const second = ending.take("t", "interrupt");
    await sleep(5 * times.poll);
    store();
    await released;
    await (await second).release();
    expect(first.signal.aborted).toBe(false);
  });

  it("stops the holder for a run that interrupts, which waits until the holder has stopped", async () => {
    const first = await guard.take("t");
    let released = false;
    first.signal.addEventListener("abort", async () => {
      await sleep(20);
      released = true;
      await first.release();
    });
    const second = await guard.take("t", "interrupt");
    expect(released).toBe(true);
    expect(first.signal.reason).toEqual(coded(ThreadError, "thread-interrupted"));
    expect(second.signal.aborted).toBe(false);
  });

  it.runIf(hasLinux)("takes the row of a zombie process", async () => {
    await putGuard(database, rowOf({ pid: await unnoticedEnd(), started: "" }));
    await expect.poll(() => guard.isRunning("t")).toBe(false);
    await (await guard.take("t")).release();
  });

  it("lets one of many runs take the thread of an ended process", async () => {
    await putGuard(database, rowOf({ pid: await endedProcess() }));
    expect(await guard.isRunning("t")).toBe(false);
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => guard.take("t")));
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("takes the row of a process whose id belongs to another process now", async () => {
    await putGuard(database, rowOf({ started: "1" }));
    await (await guard.take("t")).release();
  });

  it("forgets a row that it could not delete", async () => {
    const hold = await guard.take("t");
    const row = await readGuard(database, "t");
    await hold.release();
    if (row) await putGuard(database, row);
    await (await guard.take("t")).release();
  });

  it("stops the writes of a run that lost its thread", async () => {
    const hold = await guard.take("t");
    const row = "insert into glassloop_items (thread, hash, type, content) values ('t', $1, 'json', '1')";
    await guard.write("t", hold.owner, [{ sql: row, parameters: ["before"] }]);
    await putGuard(database, rowOf({ owner: "other" }));
    const after = guard.write("t", hold.owner, [{ sql: row, parameters: ["after"] }]);
    await expect(after).rejects.toThrow(coded(ThreadError, "thread-taken-over"));
    expect(await database.all("select hash from glassloop_items")).toEqual([{ hash: "before" }]);
    await expect.poll(() => hold.signal.reason).toEqual(coded(ThreadError, "thread-taken-over"));
    await hold.release();
    expect(await readGuard(database, "t")).toMatchObject({ owner: "other" });
  });

  it("distinguishes a failed write from a lost thread", async () => {
    const { owner } = await guard.take("t");
    const wrong = [{ sql: "insert into nowhere values (1)", parameters: [] }];
    await expect(guard.write("t", owner, wrong)).rejects.toThrow(/nowhere/);
    await expect(guard.write("free", undefined, wrong)).rejects.toThrow(/nowhere/);
  });

  it("reports closed threads to a run whose write is refused meanwhile", async () => {
    await putGuard(database, rowOf({ owner: "other" }));
    const writes = ["mine", undefined].map((owner) => guard.write("t", owner, []));
    await Promise.all([
      ...writes.map((write) => expect(write).rejects.toThrow(ThreadsDatabaseError)),
      database.close(),
    ]);
  });

  it("writes without a lease as soon as a run has released the thread", async () => {
    const hold = await guard.take("t");
    const batch = database.batch.bind(database);
    vi.spyOn(database, "batch").mockImplementationOnce((statements) => batch(statements).finally(() => hold.release()));
    await guard.write("t", undefined, []);
    expect(await readGuard(database, "t")).toBeUndefined();
  });

  it("stops the writes of a run that lost its thread to another run of this process", async () => {
    const lost = await guard.take("t");
    await putGuard(database, rowOf({ pid: await endedProcess(), owner: "rival" }));
    const next = await guard.take("t");
    await expect(guard.write("t", lost.owner, [])).rejects.toThrow(coded(ThreadError, "thread-taken-over"));
    await guard.write("t", next.owner, []);
    await expect.poll(() => lost.signal.reason).toEqual(coded(ThreadError, "thread-taken-over"));
    expect(next.signal.aborted).toBe(false);
    await lost.release();
    await guard.write("t", next.owner, []);
  });

  it("lets a caller without a lease write only while no run holds the thread", async () => {
    const row = "insert into glassloop_items (thread, hash, type, content) values ('t', $1, 'json', '1')";
    const write = (hash: string) => guard.write("t", undefined, [{ sql: row, parameters: [hash] }]);
    await write("free");
    const hold = await guard.take("t");
    await expect(write("in use")).rejects.toThrow(ThreadInUseError);
    await hold.release();
    await putGuard(database, rowOf({ pid: await endedProcess() }));
    await write("left by a process that is gone");
    expect(await readGuard(database, "t")).toBeUndefined();
    expect((await database.all("select hash from glassloop_items order by hash")).map(({ hash }) => hash)).toEqual([
      "free",
      "left by a process that is gone",
    ]);
  });

  it("waits for the tools of an interrupted run, up to a limit", async () => {
    for (const [duration, patience, isWaitedFor] of [
      [20, AN_HOUR, true],
      [AN_HOUR, 20, false],
    ] as const) {
      const patient = new ThreadGuard(database, { ...times, patience });
      const first = await patient.take("t");
      let hasEnded = false;
      const stop = new AbortController();
      const work = sleep(duration, undefined, { signal: stop.signal }).then(() => {
        hasEnded = true;
      });
      first.keepUntil(work);
      first.signal.addEventListener("abort", () => void first.release());
      const second = await patient.take("t", "interrupt");
      expect(hasEnded).toBe(isWaitedFor);
      stop.abort();
      await second.release();
    }
  });

  it("releases all threads when it is closed", async () => {
    await guard.take("t");
    await guard.close();
    expect(await readGuard(database, "t")).toBeUndefined();
  });
});

describe.each(matrix(lastingDatabases, sqlite))("threads in $name, opened twice,", (kind) => {
  let place: TestDatabase;
  let databases: Database[];
  let guard: ThreadGuard;
  let otherGuard: ThreadGuard;
  beforeEach(async () => {
    place = await kind.create();
    const [database, other] = [await openDatabase(place.url), await openDatabase(place.url)];
    databases = [database, other];
    guard = new ThreadGuard(database, times);
    otherGuard = new ThreadGuard(other, times);
  });
  afterEach(async () => {
    await Promise.all([guard.close(), otherGuard.close()]);
    for (const database of databases) await database.close();
    await place.remove();
  });

  it("lets one of many runs hold a thread, in any order", async () => {
    let inside = 0;
    const turn = async (by: ThreadGuard) => {
      const hold = await by.take("t", "enqueue");
      inside += 1;
      expect(inside).toBe(1);
      await sleep(1);
      inside -= 1;
      await hold.release();
    };
    await Promise.all(Array.from({ length: 20 }, (_, index) => turn(index % 2 === 0 ? guard : otherGuard)));
  });

  it("refuses the other one, unless it interrupts", async () => {
    const first = await guard.take("t");
    await expect(otherGuard.take("t")).rejects.toThrow(ThreadInUseError);
    first.signal.addEventListener("abort", () => void first.release());
    await (await otherGuard.take("t", "interrupt")).release();
    expect(first.signal.reason).toEqual(coded(ThreadError, "thread-interrupted"));
  });

  it("renews a thread that is held", async () => {
    await guard.take("t");
    const [database] = databases;
    const renewedAt = async () => database && (await readGuard(database, "t"))?.renewedAt;
    const taken = await renewedAt();
    await expect.poll(renewedAt).toBeGreaterThan(taken ?? 0);
  });
});

describe("the guard of threads in a file", () => {
  const elsewhere = { host: "elsewhere", pid: 1 };

  async function guarded(test: (guard: ThreadGuard, database: Database) => Promise<void>): Promise<void> {
    const database = await openSqlite(":memory:");
    try {
      await test(new ThreadGuard(database, times), database);
    } finally {
      await database.close();
    }
  }

  it("respects the row of another host while its heartbeats are recent", () =>
    guarded(async (guard, database) => {
      await putGuard(database, rowOf(elsewhere));
      await expect(guard.take("t")).rejects.toThrow(/process 1 on elsewhere/);
      expect(await guard.isRunning("t")).toBe(true);
    }));

  it.each([-2, 2])("takes the row of another host that sends no heartbeat, at %d times the expiry from now", (time) =>
    guarded(async (guard, database) => {
      await putGuard(database, rowOf({ ...elsewhere, renewedAt: Date.now() + time * times.expiry }));
      await (await guard.take("t")).release();
    }),
  );

  it("waits for a heartbeat of another host, because clocks can jump", () =>
    guarded(async (guard, database) => {
      const old = rowOf({ ...elsewhere, renewedAt: Date.now() - 2 * times.expiry });
      await putGuard(database, old);
      const { all } = database;
      vi.spyOn(database, "all").mockImplementationOnce(async (...query) => {
        const rows = await all.apply(database, query);
        await putGuard(database, { ...old, renewedAt: old.renewedAt + 1 });
        return rows;
      });
      await expect(guard.take("t")).rejects.toThrow(ThreadInUseError);
    }));
});

const holdThread = new URL("../fixtures/hold-thread.mjs", import.meta.url);

describe.runIf(hasLinux).each(matrix(lastingDatabases, sqlite))(
  "a worker thread of the program that holds a thread in $name",
  (kind) => {
    it("holds it until it is terminated, and no longer", async () => {
      const place = await kind.create();
      const worker = new Worker(holdThread, { argv: [place.url] });
      const database = await openDatabase(place.url);
      // Without a look at the worker thread, the row would count for an hour.
      const guard = new ThreadGuard(database, times);
      onTestFinished(async () => {
        await worker.terminate();
        await database.close();
        await place.remove();
      });
      await once(worker, "message");
      await expect(guard.take("t")).rejects.toThrow(ThreadInUseError);
      await worker.terminate();
      expect(await guard.isRunning("t")).toBe(false);
      await (await guard.take("t")).release();
    });
  },
);

it("does not keep its process from ending", async () => {
  const child = spawn(process.execPath, [fileURLToPath(holdThread)], { stdio: "inherit" });
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
});
