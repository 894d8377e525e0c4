import { describe, expect, test } from "vitest";
import { runProgram } from "../fake-io.js";
import { modelAndDatabase, type scriptedServer, squareRoot, squareRootReplies } from "../scripted-server.js";

const answer = " Easy.\nFinal Answer: Four.";

/** A thread "demo" that a scripted model has answered once, in a database of its own. */
async function demoThread(replies: Parameters<typeof scriptedServer>[0]) {
  const at = await modelAndDatabase(replies);
  await at.run(["ask", "-t", "demo", ...at.model.options, squareRoot]);
  return at;
}

describe("a thread is named", () => {
  test("by the beginning of its id in every command, if only one id begins so", async () => {
    await using demo = await demoThread([...squareRootReplies, answer]);
    expect((await demo.run(["threads", "show", "de", "--quiet"])).stdout).toContain("is 5");
    await demo.run(["ask", "-t", "depth", "--model", "offline", "What is 2 + 2?"]);
    const { exitCode, stderr } = await demo.run(["threads", "show", "de"]);
    expect([exitCode, stderr]).toEqual([
      2,
      'error: Several threads begin with "de": demo, depth. Give more of the id.\n',
    ]);
    expect((await demo.run(["threads", "show", ""])).exitCode).toBe(1);
  });

  test("by eight characters of a generated id, while any other text starts a new thread", async () => {
    await using demo = await demoThread([...squareRootReplies, answer, "Who?", answer, answer]);
    const made = await demo.run(["ask", ...demo.model.options, "Who?"]);
    const [, id = ""] = /^Thread (\S+)$/m.exec(made.stderr) ?? [];
    const again = await demo.run(["ask", "-t", id.slice(0, 8), ...demo.model.options, "And who?"]);
    expect(again.stderr).toContain(`Thread ${id}, 1 turn so far`);
    const other = await demo.run(["ask", "-t", "dem", ...demo.model.options, "Who?"]);
    expect(other.stderr).toMatch(/^Thread dem$/m);
  });

  test("by --continue: the one that was used last", async () => {
    await using demo = await demoThread([...squareRootReplies, "Who?", answer]);
    const { stderr } = await demo.run(["ask", "--continue", ...demo.model.options, "Who?"]);
    expect(stderr).toContain("Thread demo, 1 turn so far");
    const none = await runProgram(["ask", "--continue", "--db", "memory:", "Who?"]);
    expect(none).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("Ask without --continue") });
    expect((await demo.run(["ask", "--continue", "-t", "demo", "Who?"])).exitCode).toBe(2);
    expect((await demo.run(["threads", "resume", "demo", "--continue"])).exitCode).toBe(2);
  });
});
