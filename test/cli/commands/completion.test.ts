import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openThreads } from "../../../src/threads/open.js";
import { at } from "../../threads/open-kind.js";
import { question, stepsGraph } from "../../threads/steps-graph.js";
import { runProgram } from "../fake-io.js";
import { type WorkingFolder, workingFolder } from "../run-cli.js";

let folder: WorkingFolder;
let db: string[];
let checkpoints: string[];
beforeAll(async () => {
  folder = await workingFolder();
  db = ["--db", `sqlite:${folder.path}/threads.db`];
  await using threads = await openThreads(`sqlite:${folder.path}/threads.db`);
  const graph = stepsGraph(threads.checkpointer);
  for (const id of ["roots", "root cause", "root\n$(exit)", "team:blue"])
    await graph.invoke({ messages: [question("q")] }, at(id));
  checkpoints = await threads.checkpointsFrom("roots", "");
});
afterAll(() => folder[Symbol.asyncDispose]());

/** What the last word can become in a shell. */
async function complete(shell: string, words: readonly string[]): Promise<string[]> {
  const { exitCode, stdout, stderr } = await runProgram(["completion", shell, "--", ...words]);
  expect([exitCode, stderr]).toEqual([0, ""]);
  return stdout.split("\n").slice(0, -1);
}

describe("a word that is typed becomes", () => {
  test.for([
    [["thr"], ["threads"]],
    [
      ["threads", "re"],
      ["resume", "rename"],
    ],
    [
      ["config", ""],
      ["get", "set", "unset", "path", "help"],
    ],
    [["threads", "ls", "--js"], ["--json"]],
    [["ask", "--max-s"], ["--max-steps"]],
    [
      ["docs", "index", "--emb"],
      ["--embeddings", "--embeddings-url"],
    ],
    [
      ["ask", "--model", "offline", "--show", ""],
      ["steps", "answer"],
    ],
    [["ask", "-q", "--show", "st"], ["steps"]],
    [
      ["threads", "decide", "roots", "a"],
      ["approve", "answer"],
    ],
    [["completion", "z"], ["zsh"]],
    [["--v"], ["--version"]],
    [["ask", "What is"], []],
    [["ask", "--model", ""], []],
    [["threads", "no-such-command", ""], []],
  ] as const)("a command, an option or a choice: %j", async ([words, found]) => {
    expect(await complete("zsh", words)).toEqual(found);
  });

  test.for([
    [["threads", "show"], "ro", ["root cause", "roots"]],
    [["threads", "rm", "--yes"], "t", ["team:blue"]],
    [["ask", "-t"], "roots", ["roots"]],
    [["chat", "--thread"], "x", []],
    [["threads", "rename", "roots"], "", []],
    [["threads", "copy", "--to"], "", []],
    [["threads", "copy"], "roots", ["roots"]],
  ] as const)("the id of a thread: %j %s", async ([[command, ...words], last, found]) => {
    const inThreads = command === "threads" ? words.splice(0, 1) : [];
    expect(await complete("fish", [command, ...inThreads, ...db, ...words, last])).toEqual(found);
  });

  test("the id of a checkpoint, also of a thread that is named by its beginning", async () => {
    expect(await complete("zsh", ["threads", "fork", ...db, "roots", ""])).toEqual(checkpoints);
    const [first = ""] = checkpoints;
    expect(await complete("zsh", ["threads", "fork", ...db, "team", first.slice(0, -1)])).toEqual([]);
    expect(await complete("zsh", ["threads", "fork", ...db, "roots", first.slice(0, -1)])).toEqual([first]);
  });
});

test("bash gets what follows the last colon, and words as it reads them", async () => {
  const [, url = ""] = db;
  const asBashCutsIt = ["threads", "show", "--db", "sqlite", ":", url.slice("sqlite:".length)];
  expect(await complete("bash", [...asBashCutsIt, "ro"])).toEqual(["'root cause'", "roots"]);
  expect(await complete("bash", [...asBashCutsIt, '"root '])).toEqual(["root cause"]);
  expect(await complete("bash", [...asBashCutsIt, "root\\ "])).toEqual(["'root cause'"]);
  expect(await complete("bash", [...asBashCutsIt, "team", ":"])).toEqual(["blue"]);
  expect(await complete("bash", [...asBashCutsIt, "team", ":", "bl"])).toEqual(["blue"]);
});

test("a database that is not there has no ids, and is not made", async () => {
  expect(await complete("zsh", ["threads", "show", "--db", `sqlite:${folder.path}/no.db`, ""])).toEqual([]);
  expect(await folder.files()).not.toContain("no.db");
});

test("a shell that is not known is refused with those that are", async () => {
  const { exitCode, stderr } = await runProgram(["completion", "tcsh"]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("bash, zsh, fish")]);
});
