import { tool } from "@langchain/core/tools";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createAgent } from "../../../src/agent/create-agent.js";
import { scriptedModel } from "../../../src/testing/index.js";

it("a step of many calls, which all listen to the run's signal, makes no warning", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  const look = tool(async () => "seen", { name: "look", description: "Looks.", schema: z.object({}) });
  const tool_calls = Array.from({ length: 30 }, (_, index) => ({ id: `call-${index}`, name: "look", args: {} }));
  const model = scriptedModel([{ content: "I look", tool_calls }, "Done."]);
  const agent = createAgent({ model, tools: [look], protocol: "tool-calling" });
  const { messages } = await agent.invoke({ messages: "Look" }, { signal: new AbortController().signal });
  expect(messages).toHaveLength(1 + 1 + 30 + 1);
  await new Promise(setImmediate);
  expect(warnings).toEqual([]);
});
