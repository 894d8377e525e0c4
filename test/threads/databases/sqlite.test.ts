import { fork } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  chown,
  copyFile,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ThreadError, ThreadsDatabaseError } from "../../../src/base/errors.js";
import { SqliteConnection } from "../../../src/sqlite/sqlite-connection.js";
import { openThreads } from "../../../src/threads/open.js";
import { coded } from "../../helpers/coded.js";
import { needs } from "../../helpers/needs.js";
import { querySqlite } from "../../helpers/query-sqlite.js";
import { answer, payerOn } from "../agents.js";
import { at } from "../open-kind.js";
import { question, stepsGraph } from "../steps-graph.js";

let folder: string;
let file: string;
let url: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "glassloop-sqlite-"));
  file = join(folder, "threads.db");
  url = `sqlite:${file}`;
});

afterEach(() => rm(folder, { recursive: true }));

const hasUnixFiles = needs(process.platform !== "win32", "Sockets and rights of files are not tried: this is Windows.");
const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}.mjs`, import.meta.url));

async function write(...ids: string[]): Promise<void> {
  await using threads = await openThreads(url);
  for (const id of ids) await stepsGraph(threads.checkpointer).invoke({ messages: [question(`q-${id}`)] }, at(id));
}

let written: Promise<Buffer> | undefined;

/** Puts a file with the thread "t" in its place. It is written once, because that is slow. */
async function putWritten(): Promise<void> {
  written ??= write("t").then(() => readFile(file));
  await writeFile(file, await written);
}

/** Expects that the database is refused for this reason, and that the file stays as it is, byte for byte. */
async function expectRefused(reason: string): Promise<void> {
  const before = await readFile(file);
  const error: unknown = await openThreads(url).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ThreadsDatabaseError);
  expect(String(error)).toContain(reason);
  expect(String(error)).toContain(file);
  expect((await readFile(file)).equals(before)).toBe(true);
}

describe("a SQLite file", () => {
  test("is readable by its owner only, and so are its folder and the files beside it", async () => {
    file = join(folder, "new", "threads.db");
    const umask = process.umask(0);
    try {
      await using threads = await openThreads(`sqlite:${file}`);
      await stepsGraph(threads.checkpointer).invoke({ messages: [question("q")] }, at("t"));
      const files = await readdir(join(folder, "new"));
      expect(files.toSorted()).toEqual(["threads.db", "threads.db-shm", "threads.db-wal"]);
      for (const name of files) expect((await stat(join(folder, "new", name))).mode & 0o777).toBe(0o600);
      expect((await stat(join(folder, "new"))).mode & 0o777).toBe(0o700);
    } finally {
      process.umask(umask);
    }
  });

  test("may be there already, empty", async () => {
    await writeFile(file, "", { mode: 0o644 });
    url = `sqlite://${file}`;
    await write("t");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  const names = ["it's a #1 %2e 50% ü→日本", ...(process.platform === "win32" ? [] : ["a?mode=memory"])];
  test.each(names)("can be named %j, and so can its folder", async (name) => {
    file = join(folder, name, `${name}.db`);
    url = `sqlite:${file}`;
    await write("t");
    expect(await readdir(join(folder, name))).toContain(`${name}.db`);
    await using threads = await openThreads(url);
    expect(await threads.get("t")).toBeDefined();
  });

  test("may be in a linked folder, and a deletion of its -wal file is noticed there, too", async () => {
    await mkdir(join(folder, "real"));
    await symlink("real", join(folder, "link"));
    url = `sqlite:${join(folder, "link", "threads.db")}`;
    await write("t");
    await using threads = await openThreads(`sqlite:${join(folder, "real", "threads.db")}`);
    expect(await threads.list()).toHaveLength(1);
    await using linked = await openThreads(url);
    await rm(join(folder, "real", "threads.db-wal"));
    const graph = stepsGraph(linked.checkpointer);
    await expect(graph.invoke({ messages: [question("v")] }, at("v"))).rejects.toThrow("were deleted or replaced");
  });

  test("is in WAL mode, and has all data in one file after close", async () => {
    await write("t");
    const wal = join(folder, "threads.db-wal");
    const left = await stat(wal).catch(() => ({ size: 0 }));
    expect(left.size).toBe(0);
    expect(await querySqlite(file, "pragma journal_mode")).toEqual([{ journal_mode: "wal" }]);
  });
});

test("only leases and the outcomes of calls do not wait for the disk", async () => {
  await using threads = await openThreads(url);
  const written: [boolean, string][] = [];
  const { write: original } = SqliteConnection.prototype;
  using _ = vi.spyOn(SqliteConnection.prototype, "write").mockImplementation(function (
    this: SqliteConnection,
    statements,
    options,
  ) {
    written.push([options?.synced !== false, JSON.stringify(statements)]);
    return original.call(this, statements, options);
  });
  const agent = payerOn(threads, () => "paid", [" I pay\nAction: pay\nAction Input: 5", answer("Done.")]);
  await agent.invoke({ messages: "Pay" }, at("t"));
  const isSynced = (words: string) => written.filter(([, sql]) => sql.includes(words)).map(([synced]) => synced);
  expect(isSynced("insert into glassloop_guards (thread, owner, holder")).toEqual([false]);
  expect(isSynced("__glassloop_begun")).toEqual([true]);
  expect(isSynced("__glassloop_ended")).toEqual([false]);
  expect(new Set(isSynced("insert into glassloop_checkpoints"))).toEqual(new Set([true]));
  expect(isSynced("insert into glassloop_writes").filter((synced) => !synced)).toHaveLength(1);
});

describe("a file that is not a threads database is refused and left unchanged:", () => {
  test.each(["Dear diary, ".repeat(100), "SQL"])("the text %j", async (text) => {
    await writeFile(file, text);
    await expectRefused("not a SQLite database");
  });

  test("the database of another program", async () => {
    await querySqlite(file, "create table recipes (name text)", "insert into recipes values ('soup')");
    await expectRefused("another program");
  });

  test.each([0.999, 0.6, 0.001])("a file cut off at %d of its length", async (part) => {
    await putWritten();
    await truncate(file, Math.floor((await stat(file)).size * part));
    await expectRefused("cut off or damaged; it was left as it is");
  });
});

/** A query that never ends. */
const endless = "with recursive counted(number) as (select 1 union all select number + 1 from counted)";
const ended = `(${endless} select max(number) from counted)`;

describe("a threads database with a changed schema is refused, and left unchanged:", () => {
  test.each([
    [
      "a trigger",
      "burns",
      [
        `create trigger burns after insert on glassloop_guards begin delete from glassloop_meta where value = ${ended}; end`,
      ],
    ],
    [
      "a view in the place of a table",
      "glassloop_threads",
      ["drop table glassloop_threads", `create view glassloop_threads as select ${ended} as turns`],
    ],
    [
      "a view in the place of what SQLite has",
      "pragma_page_count",
      [`create view pragma_page_count as select ${ended} as page_count`],
    ],
    ["a column that is computed", "glassloop_meta", ["alter table glassloop_meta add column more as (zeroblob(1e9))"]],
  ])("%s", async (_, name, changes) => {
    await putWritten();
    await querySqlite(file, ...changes, "select 1");
    await expectRefused(`did not make "${name}" in it, which could do harm; it was left as it is.`);
  });

  test("but not with the statistics of SQLite's analyze", async () => {
    await putWritten();
    await querySqlite(file, "analyze", "select 1");
    await using threads = await openThreads(url);
    expect(await threads.list()).toHaveLength(1);
  });
});

describe("a place that cannot be used is refused:", () => {
  test("a link, because SQLite puts its -wal file beside the target", async () => {
    await putWritten();
    await symlink(file, join(folder, "link.db"));
    await expect(openThreads(`sqlite:${folder}/link.db`)).rejects.toThrow(
      "link.db: this is a link, not a file. Give the path of a file.",
    );
    await symlink("nothing.db", join(folder, "dangling.db"));
    await expect(openThreads(`sqlite:${folder}/dangling.db`)).rejects.toThrow("this is a link, not a file");
    expect(await readdir(folder)).not.toContain("nothing.db");
  });

  test("a file with a link in the place of its -wal file", async () => {
    await putWritten();
    await writeFile(join(folder, "letter"), "Dear diary");
    await symlink("letter", `${file}-wal`);
    await expect(openThreads(url)).rejects.toThrow("it cannot be opened");
    expect(await readFile(join(folder, "letter"), "utf8")).toBe("Dear diary");
  });

  test("a file with two names, as each would have a -wal file of its own", async () => {
    await putWritten();
    await link(file, join(folder, "other.db"));
    await expectRefused("this file has several names (hard links)");
  });

  test("a folder, or a path through a file", async () => {
    await mkdir(file);
    await expect(openThreads(url)).rejects.toThrow("this is a folder");
    await writeFile(join(folder, "file"), "");
    const through = `sqlite:${join(folder, "file", "threads.db")}`;
    await expect(openThreads(through)).rejects.toThrow("a part of this path is a file");
  });

  test.each([
    ["sqlite:", 'such as "sqlite:threads.db"'],
    ["sqlite:folder/", 'such as "sqlite:threads.db"'],
    ["sqlite::memory:", 'give "memory:"'],
    ["sqlite:~/threads.db", "Write the path of your home folder in full"],
    ["sqlite:file:threads.db?mode=memory", 'give the path without "file:"'],
    ["sqlite:a\0b.db", "no path has a NUL byte"],
  ])("the address %s", async (address, sentence) => {
    await expect(openThreads(address)).rejects.toThrow(sentence);
  });

  test.runIf(hasUnixFiles)("a socket, or a device, whose rights stay unchanged", async () => {
    const server = createServer().listen(file);
    await once(server, "listening");
    await expect(openThreads(url)).rejects.toThrow("this is a socket, not a file. Give the path of a file.");
    server.close();
    const before = (await stat("/dev/null")).mode;
    await expect(openThreads("sqlite:/dev/null")).rejects.toThrow("this is a device, not a file");
    expect((await stat("/dev/null")).mode).toBe(before);
  });

  test.runIf(hasUnixFiles)("a folder or a file that may not be written", async () => {
    await putWritten();
    const closed = join(folder, "closed");
    await mkdir(closed);
    const places = [join(closed, "a.db"), join(folder, "a.db")];
    for (const place of places) await copyFile(file, place);
    const opened = await openAsAnyone(folder, closed, ...places);
    expect(opened).toHaveLength(2);
    for (const end of opened) expect(end).toMatch(/^ThreadsDatabaseError: .*(you may not write|cannot be)/);
    for (const place of places) expect((await readFile(place)).equals(await readFile(file))).toBe(true);
  });
});

/** Opens a database in a closed folder and one that is read-only, in a process whose rights count: root gives its own up. */
async function openAsAnyone(folder: string, closed: string, ...places: string[]): Promise<unknown[]> {
  const nobody = 65_534;
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const path of [folder, closed, ...places]) await chown(path, nobody, nobody);
  await chmod(closed, 0o500);
  await chmod(places.at(-1) ?? "", 0o400);
  const urls = places.map((place) => `sqlite:${place}`);
  const [opened] = await once(fork(fixture("open"), urls, isRoot ? { uid: nobody, gid: nobody } : {}), "message");
  await chmod(closed, 0o700);
  return opened;
}

test("a thread that is damaged has an error, and the other threads can be read", async () => {
  await write("whole", "broken");
  await querySqlite(file, "delete from glassloop_items where thread = 'broken' and content like '%Question%'");
  await using threads = await openThreads(url);
  const graph = stepsGraph(threads.checkpointer);
  await expect(graph.getState(at("broken"))).rejects.toThrow(coded(ThreadError, "damaged-thread"));
  expect((await graph.getState(at("whole"))).values.messages).toHaveLength(4);
  expect(await threads.delete("broken")).toBe(true);
  expect((await graph.getState(at("broken"))).values).toEqual({});
});

test.each([
  ["the first fork", 0],
  ["a later fork", 1],
])("%s into a file that was deleted is refused, and makes no file", async (_, before) => {
  const threads = await openThreads(url);
  await stepsGraph(threads.checkpointer).invoke({ messages: [question("q")] }, at("t"));
  const newest = (await threads.history("t")).turns.at(-1)?.steps.at(-1)?.checkpoint ?? "";
  for (let number = 0; number < before; number += 1) await threads.fork("t", newest, `f${number}`);
  for (const ending of ["", "-wal", "-shm"]) await rm(`${file}${ending}`);
  await expect(threads.fork("t", newest, "lost")).rejects.toThrow("its files were deleted or replaced");
  await expect(stat(file)).rejects.toMatchObject({ code: "ENOENT" });
  await threads.close();
});
