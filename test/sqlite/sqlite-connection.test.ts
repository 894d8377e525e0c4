import { execFileSync } from "node:child_process";
import { readdirSync, readlinkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SqliteConnection } from "../../src/sqlite/sqlite-connection.js";

let folder: string;
let file: string;
let connection: SqliteConnection;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sqlite-"));
  file = join(folder, "a.db");
  connection = await SqliteConnection.open(file);
  await connection.read([sql("pragma journal_mode = wal")]);
  await connection.write([sql("create table words (word text primary key)")]);
});

afterEach(async () => {
  await connection.close();
  await rm(folder, { recursive: true });
});

const sql = (text: string, ...parameters: string[]) => ({ sql: text, parameters });
const put = (word: string) => sql("insert into words values (?1)", word);
const allWords = sql("select word from words order by word");

async function words(from = connection): Promise<unknown[]> {
  const [rows = []] = await from.read([allWords]);
  return rows.map(({ word }) => word);
}

/** The words in the file, as another connection sees them. */
async function wordsElsewhere(): Promise<unknown[]> {
  const other = await SqliteConnection.open(file);
  return words(other).finally(() => other.close());
}

function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/self/fd/${descriptor}`)];
    } catch {
      return [];
    }
  });
}

describe("a transaction", () => {
  it("is stored whole or not at all, and returns the rows of each statement", async () => {
    const returned = await connection.write([
      put("one"),
      sql("insert into words values ('two') returning word, length(word) as size"),
    ]);
    expect(returned).toEqual([[], [{ word: "two", size: 3 }]]);
    await expect(connection.write([put("three"), put("one")])).rejects.toThrow("UNIQUE constraint");
    expect(await words()).toEqual(["one", "two"]);
  });

  it("that fails loses only its own rows, in a group with others", async () => {
    const due = ["a", "b", "a", "c"].map((word) => connection.write([put(`${word}1`), put(word)]));
    const outcomes = await Promise.allSettled(due);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
    expect(await wordsElsewhere()).toEqual(["a", "a1", "b", "b1", "c", "c1"]);
  });

  it("is stored before one that comes later, however many there are", async () => {
    const order: number[] = [];
    const writes = Array.from({ length: 1000 }, async (_, number) => {
      await connection.write([put(String(number).padStart(4, "0"))]);
      order.push(number);
    });
    await Promise.all(writes);
    expect(order).toEqual(Array.from({ length: 1000 }, (_, number) => number));
    expect(await words()).toHaveLength(1000);
  });

  it("without a wait for the disk shares the wait of a transaction that needs one", async () => {
    const synchronous = async () => (await connection.read([sql("pragma synchronous")])).flat();
    await connection.write([put("soon")], { synced: false });
    expect(await synchronous()).toEqual([{ synchronous: 1 }]);
    await Promise.all([connection.write([put("too")], { synced: false }), connection.write([put("now")])]);
    expect(await synchronous()).toEqual([{ synchronous: 2 }]);
    expect(await wordsElsewhere()).toEqual(["now", "soon", "too"]);
  });

  it("waits for the lock of another connection, while the event loop goes on", async () => {
    const other = await SqliteConnection.open(file);
    await other.read([sql("begin immediate")]);
    const late = connection.write([put("late")]);
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setTimeout(resolve, 5));
    await other.read([sql("commit")]);
    await late;
    expect(await words(other)).toEqual(["late"]);
    await other.close();
  });
});

describe("queries that are read together", () => {
  it("see one state of the database", async () => {
    const other = await SqliteConnection.open(file);
    let isDone = false;
    const writing = (async () => {
      for (let number = 0; !isDone; number += 1) await other.write([put(`w${number}`)], { synced: false });
    })();
    const count = sql("select count(*) as count from words");
    for (let time = 0; time < 100; time += 1) {
      const [[first] = [], , [second] = []] = await connection.read([count, allWords, count]);
      expect(first).toEqual(second);
    }
    isDone = true;
    await writing;
    await other.close();
  });
});

describe("when a connection was closed", () => {
  it("no file is open, pending writes are stored, and the file can be deleted or opened again at once", async () => {
    const due = connection.write([put("due")]);
    await connection.close();
    await due;
    expect(openFiles().filter((path) => path.startsWith(folder))).toEqual([]);
    expect(readdirSync(folder)).toEqual(["a.db"]);
    connection = await SqliteConnection.open(file);
    await connection.write([put("again")]);
    expect(await words()).toEqual(["again", "due"]);
    await connection.close();
    rmSync(file);
    connection = await SqliteConnection.open(file);
    expect((await connection.read([sql("select count(*) as tables from sqlite_master")])).flat()).toEqual([
      { tables: 0 },
    ]);
  });

  it("each call fails with an error that says so, and a second close does nothing", async () => {
    await connection.close();
    await connection.close();
    await expect(connection.write([put("late")])).rejects.toMatchObject({ code: "ENDED" });
    await expect(connection.read([allWords])).rejects.toMatchObject({ code: "ENDED" });
    await expect(connection.read([sql("vacuum")])).rejects.toMatchObject({ code: "ENDED" });
  });

  it("another connection of the same process keeps its locks and goes on", async () => {
    const other = await SqliteConnection.open(file);
    await connection.write([put("one")]);
    await other.close();
    await connection.write([put("two")]);
    expect(await wordsElsewhere()).toEqual(["one", "two"]);
  });
});

describe("deleted or replaced files are noticed at the next commit:", () => {
  beforeEach(() => connection.watchFiles());

  it.each([
    ["the database was deleted", () => rmSync(file)],
    ["its -wal was deleted", () => rmSync(`${file}-wal`)],
    ["its -shm was deleted", () => rmSync(`${file}-shm`)],
    [
      "another file was put in its place",
      () => {
        writeFileSync(`${file}.copy`, "");
        renameSync(`${file}.copy`, file);
      },
    ],
  ])("%s", async (_, change) => {
    await connection.write([put("before")]);
    change();
    await expect(connection.write([put("after")])).rejects.toMatchObject({ code: "MOVED" });
    await expect(connection.write([put("later")])).rejects.toMatchObject({ code: "MOVED" });
    rmSync(file, { force: true });
  });
});

describe("the thread of a connection", () => {
  it("lets the process end while no call is in progress", () => {
    const program = `
      import { SqliteConnection } from ${JSON.stringify(new URL("../../dist/sqlite/sqlite-connection.js", import.meta.url).href)};
      const connection = await SqliteConnection.open(${JSON.stringify(join(folder, "b.db"))});
      await connection.write([{ sql: "create table words (word text)", parameters: [] }]);
      console.log("end of the program");`;
    const ended = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
    expect(ended).toBe("end of the program\n");
  });

  it("reports a stored transaction while the event loop is busy", async () => {
    let isStored = false;
    const first = connection.write([put("first")]).then(() => {
      isStored = true;
    });
    // Nothing here ends the turn of the event loop.
    const others: Promise<unknown>[] = [];
    for (let time = 0; time < 10_000 && !isStored; time += 1) {
      others.push(connection.write([put(`${time}`)]));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      await Promise.resolve();
    }
    expect(isStored).toBe(true);
    await Promise.all([first, ...others]);
    expect(await words()).toHaveLength(others.length + 1);
  });

  it("that ends by an error fails its pending calls, and every later call", async () => {
    using terminated = vi.spyOn(Worker.prototype, "postMessage").mockImplementation(function (this: Worker) {
      void this.terminate();
    });
    await expect(connection.write([put("lost")])).rejects.toMatchObject({ code: "ENDED" });
    expect(terminated).toHaveBeenCalledOnce();
    await expect(connection.read([allWords])).rejects.toMatchObject({ code: "ENDED" });
  });
});
