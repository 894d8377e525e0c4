import { stat } from "node:fs/promises";
import { join } from "node:path";
import { tool } from "@langchain/core/tools";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../../../src/agent/create-agent.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { openThreads } from "../../../src/threads/open.js";
import { parseLines } from "../events.js";
import { runProgram } from "../fake-io.js";
import { type WorkingFolder, workingFolder } from "../run-cli.js";
import { scriptedServer, squareRoot, squareRootReplies, whenAsked } from "../scripted-server.js";

const checkpointSchema = z.object({ type: z.literal("checkpoint"), turn: z.number(), checkpoint: z.string() });

let folder: WorkingFolder;
beforeAll(async () => {
  folder = await workingFolder();
  const zurich = ["Where is Zürich?", " Easy.\nFinal Answer: Zürich is in Switzerland."];
  await using model = await scriptedServer([...squareRootReplies, ...zurich]);
  const options = ["-q", ...model.options, "-t", "roots"];
  await folder.runHere(["ask", ...options, squareRoot]);
  await folder.runHere(["ask", ...options, "Where is Zürich?"]);
});
afterAll(() => folder[Symbol.asyncDispose]());

/** The checkpoints of a thread, oldest first. */
async function checkpointsOf(id: string): Promise<z.infer<typeof checkpointSchema>[]> {
  const { stdout } = await folder.runHere(["threads", "show", id, "--json"]);
  return parseLines(stdout).flatMap((line) => checkpointSchema.safeParse(line).data ?? []);
}

describe("glassloop threads", () => {
  test("show lists turns and steps with the ids of their checkpoints", async () => {
    const checkpoints = await checkpointsOf("roots");
    const turns = [...Array(8).fill(1), ...Array(checkpoints.length - 8).fill(2)];
    expect(checkpoints.map(({ turn }) => turn)).toEqual(turns);
    const { stdout } = await folder.runHere(["threads", "show", "roots"]);
    expect(stdout).toMatch(
      /\nCheckpoints\nTurn 1, \d{4}-\d\d-\d\d \d\d:\d\d, answered: What is the square root of 25\?\n/,
    );
    for (const { checkpoint } of checkpoints) expect(stdout).toContain(`\n  ${checkpoint}  `);
    expect(stdout).toContain("  next act calculator\n");
  });

  test("list --search finds questions and answers", async () => {
    const { stdout, exitCode } = await folder.runHere(["threads", "list", "--search", "zurich switzerland"]);
    expect(stdout).toBe("roots  answer    Zürich is in Switzerland.\n");
    expect(exitCode).toBe(0);
    const json = await folder.runHere(["threads", "list", "--search", "zürich", "--json", "--limit", "1"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ type: "hit", thread: "roots", title: squareRoot });
    const none = await folder.runHere(["threads", "list", "--search", "london"]);
    expect(none).toMatchObject({ stdout: "", stderr: "Nothing was found.\n" });
  });

  test("fork copies a checkpoint and its past, and prune deletes what is not kept", async () => {
    const checkpoints = await checkpointsOf("roots");
    const endOfFirst = checkpoints.findLast(({ turn }) => turn === 1)?.checkpoint ?? "";
    expect((await folder.runHere(["threads", "fork", "roots", endOfFirst, "forked"])).stdout).toBe("forked\n");
    const unnamed = await folder.runHere(["threads", "fork", "roots", endOfFirst]);
    expect(unnamed.stdout).toMatch(/^[0-9a-f-]{36}\n$/);
    const again = await folder.runHere(["threads", "fork", "roots", endOfFirst, "forked"]);
    expect(again).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('There is a thread "forked" already') });

    const pruned = await folder.runHere(["threads", "prune", "forked", "--keep-turns", "0"]);
    expect(pruned).toMatchObject({ exitCode: 0, stderr: "Deleted 7 checkpoints of 1 thread.\n" });
    expect((await checkpointsOf("forked")).map(({ checkpoint }) => checkpoint)).toEqual([endOfFirst]);
    expect(await checkpointsOf("roots")).toHaveLength(checkpoints.length);
    const gone = await folder.runHere(["threads", "fork", "forked", checkpoints[2]?.checkpoint ?? "", "other"]);
    expect(gone).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("it was pruned, or never existed") });
    const rest = await folder.runHere(["threads", "prune", "forked", "--keep-turns", "0"]);
    expect(rest.stderr).toBe("Deleted 0 checkpoints of 0 threads.\n");
  });

  test("prune and remove free disk space", async () => {
    await using own = await workingFolder();
    const file = join(own.path, "threads.db");
    const db = ["--db", `sqlite:${file}`];
    await folder.runHere(["threads", "copy", "--to", `sqlite:${file}`]);
    const full = (await stat(file)).size;
    await runProgram(["threads", "prune", "--keep-turns", "0", ...db]);
    const pruned = (await stat(file)).size;
    expect(pruned).toBeLessThan(full);
    await runProgram(["threads", "remove", "--yes", "roots", ...db]);
    expect((await stat(file)).size).toBeLessThan(pruned);
  });

  test("copy copies threads from one database to another, and leaves existing threads there as they are", async () => {
    const other = ["--db", "sqlite:other.db"];
    const list = async (db: readonly string[]) => (await folder.runHere(["threads", "list", ...db])).stdout;
    const one = await folder.runHere(["threads", "copy", "ro", "--to", "sqlite:other.db"]);
    expect(one).toMatchObject({ exitCode: 0, stdout: "", stderr: "Copied 1 thread.\n" });
    const show = (db: readonly string[]) => folder.runHere(["threads", "show", "roots", ...db]);
    expect(await show(other)).toEqual(await show([]));

    const all = await folder.runHere(["threads", "copy", "--to", "sqlite:other.db"]);
    expect(all).toMatchObject({ exitCode: 1, stdout: "" });
    expect(all.stderr).toMatch(
      /^error: There is a thread "roots" already, which was not changed\.\nCopied 2 threads\.\n$/,
    );
    const again = await folder.runHere(["threads", "copy", "--to", "sqlite:other.db"]);
    expect(again).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^(error: There is a .*\n){3}Copied 0 t/),
    });

    const back = await folder.runHere(["threads", "copy", "--to", "sqlite:again.db"]);
    expect(back).toMatchObject({ exitCode: 0, stderr: "Copied 3 threads.\n" });
    expect(await list(["--db", "sqlite:again.db"])).toBe(await list([]));
  });
});

describe("glassloop threads resume", () => {
  test("resumes a turn whose process was killed, and pays for no finished model call twice", async () => {
    await using own = await workingFolder();
    const [first, second] = squareRootReplies;
    await using model = await scriptedServer([first ?? "", { hang: true }, second ?? ""]);
    const killed = await own.run(["ask", ...model.options, "-t", "roots", squareRoot], {
      during: whenAsked(model, (child) => child.kill("SIGKILL"), 2),
    });
    expect(killed.signal).toBe("SIGKILL");
    const listed = await own.run(["threads", "list"]);
    expect(listed.stdout).toContain("[interrupted]");

    const resumed = await own.run(["threads", "resume", "roots", ...model.options]);
    expect(resumed.stderr).not.toContain("error");
    expect(resumed).toMatchObject({ exitCode: 0, stdout: "The square root of 25 is 5.\n" });
    expect(model.server.requests).toHaveLength(3);
  });
});

test("glassloop threads resume names the tools of the waiting step that it lacks, and runs nothing", async () => {
  await using own = await workingFolder();
  await using model = await scriptedServer(["Done."]);
  const threads = await openThreads(`sqlite:${join(own.path, "t.db")}`);
  const pay = tool(async () => "paid", { name: "pay", description: "Pays.", schema: z.object({}) });
  const call = scriptedModel([{ content: "", tool_calls: [{ name: "pay", args: {} }] }]);
  const { checkpointer } = threads;
  const agent = createAgent({ model: call, tools: [pay], protocol: "tool-calling", checkpointer });
  await agent.invoke({ messages: "Pay" }, { configurable: { thread_id: "t" }, interruptBefore: ["act"] });
  await threads.close();
  const resumed = await own.runHere(["threads", "resume", "t", "--db", "sqlite:t.db", ...model.options]);
  expect(resumed.exitCode).toBe(2);
  expect(resumed.stderr).toMatch(/goes on with a call of pay, and there is no such tool here\. Give the options/);
  expect(model.server.requests).toEqual([]);
});

describe("misuse of glassloop threads", () => {
  const memory = ["--db", "memory:"];

  test.for([
    [["resume", "one", "--thread", "two", "--model", "offline"], 2, "without --thread"],
    [["copy", "nobody", "--to", "sqlite:no.db"], 1, 'There is no thread "nobody"'],
    [["copy", "--to", "memory:"], 2, '--to: "memory:" keeps nothing'],
    [["copy", "--to", "sqlite:"], 2, "--to: sqlite:: give the path of a file"],
    [["copy", "--to", "mysql:x"], 2, '--to: Threads cannot be kept in "mysql:"'],
    [["copy", "--to", "sqlite:/proc/no/threads.db"], 2, "--to: /proc/no/threads.db: "],
    [["copy"], 2, "required option '--to <url>' not specified"],
    [["prune", "nobody", "--keep-turns", "1"], 1, 'There is no thread "nobody"'],
    [["prune"], 2, "--keep-turns or --keep-days"],
    [["prune", "--keep-turns", "-1"], 2, "whole number from 0"],
    [["prune", "--keep-days", "0"], 2, "whole number of at least 1"],
    [["list", "--search", " "], 2, "error: --search: give at least one word"],
    [["list", "--search", "x".repeat(20_000)], 2, "error: --search: give at most 10,000 characters"],
    [["list", "--search", "x", "--waiting"], 2, "cannot be used with option '--waiting'"],
  ] as const)("%j ends with %i and a sentence", async ([args, code, sentence]) => {
    const { exitCode, stdout, stderr } = await runProgram(["threads", ...args, ...memory]);
    expect([exitCode, stdout]).toEqual([code, ""]);
    expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});
