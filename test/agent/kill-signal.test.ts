import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { tool } from "@langchain/core/tools";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAgent } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { openThreads } from "../../src/threads/open.js";

const program = fileURLToPath(new URL("fixtures/drain.mjs", import.meta.url));
const thread = { configurable: { thread_id: "t1" } };

let folder: string;
let database: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "glassloop-signal-"));
  database = `sqlite:${join(folder, "threads.db")}`;
});
afterEach(() => rm(folder, { recursive: true }));

/** Starts a turn in a process of its own. Its lines are given one by one. */
function start(milliseconds: number) {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [program, database, String(milliseconds)]);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return { child, ended: once(child, "close"), nextLine: async () => (await lines.next()).value };
}

async function goOn() {
  await using threads = await openThreads(database);
  const wait = tool(() => "waited again", { name: "wait", description: "Waits." });
  const model = scriptedModel(["Done."]);
  const agent = createAgent({ model, tools: [wait], protocol: "tool-calling", checkpointer: threads.checkpointer });
  const { next } = await agent.getState(thread);
  const { answer, intermediateSteps } = await agent.invoke(null, thread);
  return { next, answer, observation: intermediateSteps[0]?.results[0]?.observation };
}

describe("a process that gets a signal to end", () => {
  it("finishes the current step and stops, and the thread can be resumed", async () => {
    const { child, ended, nextLine } = start(300);
    expect(await nextLine()).toBe("at work");
    child.kill("SIGTERM");
    expect([await nextLine(), await nextLine(), await nextLine()]).toEqual(["stopping", "stopped", "0 listeners"]);
    expect(await ended).toEqual([0, null]);
    expect(await goOn()).toEqual({ next: ["plan"], answer: "Done.", observation: "waited" });
  });

  it("ends at once at a second signal, and the thread can still be resumed", async () => {
    const { child, ended, nextLine } = start(60_000);
    expect(await nextLine()).toBe("at work");
    child.kill("SIGTERM");
    expect(await nextLine()).toBe("stopping");
    child.kill("SIGTERM");
    expect(await ended).toEqual([null, "SIGTERM"]);
    expect(await goOn()).toEqual({ next: ["act"], answer: "Done.", observation: "waited again" });
  });
});
