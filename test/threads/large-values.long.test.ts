import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tool } from "@langchain/core/tools";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../../src/agent/create-agent.js";
import { scriptedModel } from "../../src/testing/index.js";
import { openThreads } from "../../src/threads/open.js";
import { at } from "./open-kind.js";

const BYTES = 50_000_000;
const large = `${Buffer.alloc(BYTES, "a line of a large file, ").toString("latin1")}end`;
const load = " I load\nAction: load\nAction Input: file";
const done = " I know\nFinal Answer: It is large.";

test.each([
  ["question", large, [done]],
  ["observation", "Load it.", [load, done]],
])("the %s of 50 MB makes the file no more than 1.2 times as large", async (name, question, replies) => {
  const folder = await mkdtemp(join(tmpdir(), "glassloop-large-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "threads.db");
  const tools = [tool(() => large, { name: "load", description: "Loads.", schema: z.object({ file: z.string() }) })];
  const start = performance.now();
  {
    await using threads = await openThreads(`sqlite:${file}`);
    const { checkpointer } = threads;
    const agent = createAgent({
      model: scriptedModel(replies),
      tools,
      protocol: "react",
      rephrase: false,
      checkpointer,
    });
    await agent.invoke({ messages: question }, at("t"));
  }
  const seconds = (performance.now() - start) / 1000;
  const { size } = await stat(file);
  console.log(`the ${name} of 50 MB: ${(size / BYTES).toFixed(2)} times as large, ${seconds.toFixed(1)} s`);
  expect(size).toBeLessThan(1.2 * BYTES);
  await using again = await openThreads(`sqlite:${file}`);
  const { values } = await createAgent({
    model: scriptedModel([]),
    checkpointer: again.checkpointer,
    tools,
  }).getState(at("t"));
  expect(values.messages.some(({ text }: { text: string }) => text === large)).toBe(true);
});
