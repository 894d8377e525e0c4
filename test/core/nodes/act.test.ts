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

it("a tool that changes its arguments in place changes neither the state nor another try", async () => {
  const asked = { euros: 10, to: ["alice"] };
  const given: unknown[] = [];
  const pay = tool(
    async (order: typeof asked) => {
      given.push(structuredClone(order));
      order.euros = 1000;
      order.to.push("mallory");
      return "paid";
    },
    {
      name: "pay",
      description: "Pays.",
      // LangChain hands arguments of a JSON schema on as they are.
      schema: { type: "object", properties: { euros: { type: "number" }, to: { type: "array" } } },
    },
  );
  const call = { content: "I pay", tool_calls: [{ id: "1", name: "pay", args: asked }] };
  const model = scriptedModel([structuredClone(call), "Done."]);
  const hooks = {
    aroundTool: async (_call: unknown, run: () => Promise<unknown>) => [await run(), await run()].at(-1),
  };
  const agent = createAgent({ model, tools: [pay], protocol: "tool-calling", hooks });
  const { intermediateSteps, messages } = await agent.invoke({ messages: "Pay" });
  expect(given).toEqual([asked, asked]);
  const [step] = intermediateSteps;
  expect(step).toMatchObject({
    reply: { toolCalls: [{ args: asked }] },
    decision: { actions: [{ toolInput: asked }] },
    results: [{ action: { toolInput: asked }, observation: "paid" }],
  });
  expect(messages[1]).toMatchObject({ tool_calls: [{ args: asked }] });
});
