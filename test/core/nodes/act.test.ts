import { tool } from "@langchain/core/tools";
import { expect, it } from "vitest";
import { z } from "zod";
import { createAgent, type Middleware } from "../../../src/agent/index.js";
import { scriptedModel } from "../../../src/testing/index.js";

it("a tool that changes its arguments in place changes neither the state nor a retry", async () => {
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
  const twice: Middleware = {
    name: "twice",
    wrapToolCall: async (request, handler) => [await handler(request), await handler(request)].at(-1),
  };
  const agent = createAgent({ model, tools: [pay], protocol: "tool-calling", middleware: [twice] });
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

it.each<[unknown, string]>([
  [null, "null"],
  [undefined, "undefined"],
  ["no luck", "no luck"],
  [Object.create(null), "{}"],
  [{ code: 5 }, '{"code":5}'],
  [5n, "5"],
])("a tool that throws %o has an observation", async (thrown, words) => {
  const fail = tool(() => Promise.reject(thrown), { name: "fail", description: "Fails.", schema: z.object({}) });
  const model = scriptedModel([{ tool_calls: [{ name: "fail", args: {} }] }, "Done."]);
  const { intermediateSteps } = await createAgent({ model, tools: [fail] }).invoke({ messages: "Go." });
  expect(intermediateSteps[0]?.results[0]).toMatchObject({
    status: "error",
    observation: expect.stringContaining(`fail failed with ${words}. Try`),
  });
});
