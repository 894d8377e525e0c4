import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bundledProgram } from "../../bench/bundled-program.mjs";
import { createAgent } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { openThreads } from "../../src/threads/open.js";

const program = await bundledProgram(new URL("fixtures/drain.mjs", import.meta.url));
const thread = { configurable: { thread_id: "t1" } };

let folder: string;
let database: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "glassloop-signal-"));
  database = `sqlite:${join(folder, "threads.db")}`;
});
afterEach(() => rm(folder, { recursive: true }));

/** Starts a turn in a process of its own, whose tool works until the input ends. The lines are given one by one. */
function start() {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [program, database]);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return { child, ended: once(child, "close"), nextLine: async () => (await lines.next()).value };
}

/** Goes on with the thread, or asks the next question. */
async function goOn(input: { messages: string } | null) {
  await using threads = await openThreads(database);
  const { checkpointer } = threads;
  const agent = createAgent({
    model: scriptedModel(["Done."]),
    protocol: "tool-calling",
    rephrase: false,
    checkpointer,
  });
  const { next } = await agent.getState(thread);
  const { status } = (await threads.get("t1")) ?? {};
  const { messages } = await agent.invoke(input, thread);
  return { next, status, texts: messages.map(({ text }) => text) };
}

describe("a process that gets a signal to end", () => {
  it("finishes the current step and stops, and the thread can be resumed", async () => {
    const { child, ended, nextLine } = start();
    expect(await nextLine()).toBe("at work");
    child.kill("SIGTERM");
    expect(await nextLine()).toBe("stopping");
    child.stdin.end();
    expect([await nextLine(), await nextLine()]).toEqual(["stopped", "0 listeners"]);
    expect(await ended).toEqual([0, null]);
    const texts = ["Wait", "I wait", "waited", "Done."];
    expect(await goOn(null)).toEqual({ next: ["plan"], status: "interrupted", texts });
  });

  it("ends at once at a second signal, and the next question repairs the thread", async () => {
    const { child, ended, nextLine } = start();
    expect(await nextLine()).toBe("at work");
    child.kill("SIGTERM");
    expect(await nextLine()).toBe("stopping");
    child.kill("SIGTERM");
    expect(await ended).toEqual([null, "SIGTERM"]);
    const lost = "What wait returned was lost. The call may or may not have taken effect.";
    const said = expect.stringMatching(/^I did not answer .* was about to call wait/);
    const texts = ["Wait", "I wait", lost, said, "And now?", "Done."];
    expect(await goOn({ messages: "And now?" })).toEqual({ next: ["act"], status: "interrupted", texts });
  });
});
