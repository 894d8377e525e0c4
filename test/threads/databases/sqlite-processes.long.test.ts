import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openThreads } from "../../../src/threads/open.js";
import { benchFigures } from "../../helpers/bench-figures.js";
import { querySqlite } from "../../helpers/query-sqlite.js";

const fileUser = fileURLToPath(new URL("../fixtures/file-user.mjs", import.meta.url));

let folder: string;
let file: string;
let child: ChildProcess;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "glassloop-processes-"));
  file = join(folder, "threads.db");
  child = fork(fileUser, [`sqlite:${file}`]);
});

afterEach(async () => {
  await kill();
  await rm(folder, { recursive: true });
});

async function kill(): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** Lets the other process do something. Returns "done" or the error. */
async function tell(command: string): Promise<unknown> {
  const answered = once(child, "message");
  child.send(command.split(" "));
  const [answer] = await answered;
  return answer;
}

/** The threads in the file, as this process sees them. It opens and closes the file. */
async function threadsHere(): Promise<string[]> {
  await using threads = await openThreads(`sqlite:${file}`);
  return (await threads.list()).map(({ id }) => id).sort();
}

it.each([
  ["closed it and opened it again", ["open A", "ask A t1", "close A", "open B", "ask B t2", "ask B t3"]],
  ["opened it twice", ["open A", "ask A t1", "open B", "ask A t2", "ask B t3"]],
  ["opened it twice and closed one", ["open A", "open B", "ask A t1", "close A", "ask B t2", "ask B t3"]],
  ["closed all and opened it twice", ["open A", "ask A t1", "close A", "open B", "open C", "ask C t2", "ask B t3"]],
])("a process that %s is seen by others at once, and loses nothing when it is killed", async (_, commands) => {
  const asked: string[] = [];
  for (const command of commands) {
    expect(await tell(command)).toBe("done");
    if (command.startsWith("ask")) asked.push(command.split(" ")[2] ?? "");
    expect(await threadsHere()).toEqual(asked);
  }
  await kill();
  expect(await threadsHere()).toEqual(["t1", "t2", "t3"]);
  expect(await querySqlite(file, "pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
});

it("a process whose file was deleted is told so at the next turn, and can open a new one", async () => {
  for (const command of ["open A", "ask A t1"]) expect(await tell(command)).toBe("done");
  for (const ending of ["", "-wal", "-shm"]) rmSync(`${file}${ending}`);
  expect(await tell("ask A t2")).toContain("deleted or replaced");
  for (const command of ["close A", "open B", "ask B t3"]) expect(await tell(command)).toBe("done");
  expect(await threadsHere()).toEqual(["t3"]);
});

it("many processes that write at once lose nothing that was acknowledged", async () => {
  expect(await benchFigures("contention", "--processes", "4", "--seconds", "4")).toMatchObject({ lost: 0 });
}, 60_000);
