import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { tool } from "@langchain/core/tools";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bundledProgram } from "../../bench/bundled-program.mjs";
import { createAgent } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { openThreads } from "../../src/threads/open.js";
import { lastingDatabases, type TestDatabase } from "../matrix/databases.js";

const program = await bundledProgram(new URL("fixtures/rival.mjs", import.meta.url));
const thread = { configurable: { thread_id: "t1" } };

describe.each(lastingDatabases)("two processes on one thread in $name", (kind) => {
  let folder: string;
  let file: string;
  let database: TestDatabase;
  const children: ChildProcessWithoutNullStreams[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "glassloop-rivals-"));
    file = join(folder, "lines.txt");
    database = await kind.create();
  });
  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGKILL");
      await once(child, "close");
    }
    await database.remove();
    await rm(folder, { recursive: true });
  });

  function start(strategy: string) {
    const child = spawn(process.execPath, [program, database.url, file, strategy]);
    children.push(child);
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    return { child, nextLine: async () => (await lines.next()).value };
  }

  async function goOn() {
    await using threads = await openThreads(database.url);
    const append = tool(() => "appended", { name: "append", description: "Appends.", metadata: { effects: true } });
    const model = scriptedModel(["Done."]);
    const { checkpointer } = threads;
    const agent = createAgent({ model, tools: [append], protocol: "tool-calling", checkpointer });
    return await agent.invoke(null, thread);
  }

  it("the second is refused; when the first is killed, a run resumes at once, without repeating its work", async () => {
    const first = start("reject");
    expect(await first.nextLine()).toBe("at work");
    const second = start("reject");
    expect(await second.nextLine()).toMatch(
      `ThreadInUseError: The thread "t1" is in use: process ${first.child.pid} runs it`,
    );
    await expect(goOn()).rejects.toThrow(/in use/);
    first.child.kill("SIGKILL");
    await once(first.child, "close");
    const state = await goOn();
    expect(state.intermediateSteps[0]?.results[0]?.status).toBe("unknown");
    expect(state.answer).toBe("Done.");
    expect(await readFile(file, "utf8")).toBe(`${first.child.pid}\n`);
  });

  it("one interrupts the other", async () => {
    const first = start("reject");
    expect(await first.nextLine()).toBe("at work");
    const second = start("interrupt");
    expect(await first.nextLine()).toMatch(
      /^ThreadError: This run on the thread "t1" was stopped: another run interrupted it/,
    );
    expect(await second.nextLine()).toBe("at work");
    second.child.kill("SIGKILL");
    await once(second.child, "close");
    const { turn, intermediateSteps } = await goOn();
    expect(turn).toMatchObject({ asked: `Append for ${second.child.pid}` });
    expect(intermediateSteps[0]?.results[0]?.status).toBe("unknown");
  });
});
