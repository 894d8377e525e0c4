import { stat } from "node:fs/promises";
import { tool } from "@langchain/core/tools";
import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../../src/agent/create-agent.js";
import { scriptedModel } from "../../src/testing/index.js";
import { openThreads, type Threads } from "../../src/threads/open.js";
import { sqlite } from "../matrix/databases.js";
import { answer } from "./agents.js";
import { at, openKind } from "./open-kind.js";

const BYTES = 20_000_000;
const large = `${Buffer.alloc(BYTES, "a line of a large file, ").toString("latin1")}end`;
const load = " I load\nAction: load\nAction Input: file";
const done = answer("It is large.");

function loaderOn({ checkpointer }: Threads, ...replies: string[]) {
  const tools = [tool(() => large, { name: "load", description: "Loads.", schema: z.object({ file: z.string() }) })];
  return createAgent({ model: scriptedModel(replies), tools, protocol: "react", rephrase: false, checkpointer });
}

test.each([
  ["question", large, [done]],
  ["observation", "Load it.", [load, done]],
])("the %s of 20 MB makes the file no more than 1.2 times as large", async (name, question, replies) => {
  const { threads, url } = await openKind(sqlite);
  const start = performance.now();
  await loaderOn(threads, ...replies).invoke({ messages: question }, at("t"));
  await threads.close();
  const seconds = (performance.now() - start) / 1000;
  const { size } = await stat(url.slice("sqlite:".length));
  console.log(`the ${name} of 20 MB: ${(size / BYTES).toFixed(2)} times as large, ${seconds.toFixed(1)} s`);
  expect(size).toBeLessThan(1.2 * BYTES);
  await using again = await openThreads(url);
  const { values } = await loaderOn(again).getState(at("t"));
  expect(values.messages.some(({ text }: { text: string }) => text === large)).toBe(true);
});
