import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { expect, it } from "vitest";
import { z } from "zod";
import { type AgentOptions, approvalRequests, createAgent, decide, streamTurn } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { allOf, piecesOf } from "../helpers/turn-events.js";

const thread = { configurable: { thread_id: "1" } };
const paid: string[] = [];
const pay = tool(
  ({ to }) => {
    paid.push(to);
    return `Paid ${to}.`;
  },
  { name: "pay", description: "Pays.", schema: z.object({ to: z.string() }), metadata: { effects: true } },
);
const callsPay = { tool_calls: [{ name: "pay", args: { to: "Ann" } }] };

it("hooks that return nothing change nothing, even if they change what they got in place", async () => {
  const seen: string[] = [];
  const model = scriptedModel(["Fine."]);
  const hooks: AgentOptions["hooks"] = {
    beforeModel: ({ messages }) => {
      seen.push(...messages.map(({ text }) => text));
      for (const message of messages) message.content = "changed";
    },
    afterModel: async ({ reply }) => {
      seen.push(reply.text);
    },
  };
  const { messages } = await createAgent({ model, hooks }).invoke({ messages: "Well?" });
  expect(messages.map(({ text }) => text)).toEqual(["Well?", "Fine."]);
  expect(model.calls[0]?.messages.at(-1)?.text).toBe("Well?");
  expect(seen).toEqual(["Well?", "Fine."]);
});

it("beforeModel changes the prompt, and nothing in the state", async () => {
  const model = scriptedModel(["Fine.", "Fine."]);
  const agent = createAgent({
    model,
    context: z.object({ mood: z.string() }),
    hooks: {
      beforeModel: ({ messages, context, state, model: name }) =>
        state.turn.asked === "Leave it." ? undefined : [new SystemMessage(`${name}, be ${context.mood}.`), ...messages],
    },
  });
  const state = await agent.invoke({ messages: "Well?" }, { context: { mood: "kind" } });
  expect(model.calls[0]?.messages.map(({ text }) => text)).toEqual(["glassloop-scripted, be kind.", "Well?"]);
  expect(state.messages.map(({ text }) => text)).toEqual(["Well?", "Fine."]);
  await agent.invoke({ messages: "Leave it." }, { context: { mood: "kind" } });
  expect(model.calls[1]?.messages.map(({ text }) => text)).toEqual(["Leave it."]);
});

it("afterModel changes the reply before it is parsed, and no part of the old reply is streamed as the answer", async () => {
  const agent = createAgent({
    model: scriptedModel(["The key is sesame."]),
    hooks: { afterModel: ({ reply }) => ({ ...reply, text: reply.text.replace("sesame", "***") }) },
  });
  const events = await allOf(streamTurn(agent, { messages: "Key?" }));
  expect(piecesOf(events)).toBe("The key is ***.");
  expect(events).toContainEqual(expect.objectContaining({ type: "answer", text: "The key is ***." }));
});

it("wrapToolCall sees each call, may change its result, and may call the tool again or not at all", async () => {
  const model = scriptedModel([callsPay, "Done.", callsPay, "Done.", callsPay, "Done."]);
  const results: unknown[] = [];
  const around = [
    async (run: () => Promise<unknown>) => [await run(), await run()].length,
    async () => "Not today.",
    async () => {
      throw new Error("The bank is closed.");
    },
  ];
  const agent = createAgent({
    model,
    tools: [pay],
    hooks: {
      wrapToolCall: async ({ action, state }, run) => {
        results.push([action.tool, action.toolInput, state.turn.asked]);
        return around[results.length - 1]?.(run);
      },
    },
  });
  const observations: string[] = [];
  paid.length = 0;
  for (const asked of ["One", "Two", "Three"]) {
    const state = await agent.invoke({ messages: asked });
    observations.push(state.intermediateSteps[0]?.results[0]?.observation ?? "");
  }
  // A call with effects is made once.
  expect(paid).toEqual(["Ann"]);
  expect(observations.slice(0, 2)).toEqual(["2", "Not today."]);
  expect(observations[2]).toMatch(/^pay failed with Error: The bank is closed\./);
  expect(results).toEqual(["One", "Two", "Three"].map((asked) => ["pay", { to: "Ann" }, asked]));
});

it("wrapToolCall runs after a person's decision, and the tool gets the decided input", async () => {
  let around = 0;
  const agent = createAgent({
    model: scriptedModel([callsPay, "Done.", callsPay, "Refused."]),
    tools: [pay],
    approve: "effects",
    rephrase: false,
    checkpointer: new MemorySaver(),
    hooks: {
      wrapToolCall: (call, run) => {
        around += 1;
        Object.assign(call.action, { toolInput: { to: "Eve" } });
        return run();
      },
    },
  });
  paid.length = 0;
  await agent.invoke({ messages: "Pay." }, thread);
  expect([around, paid]).toEqual([0, []]);
  const [request] = approvalRequests(await agent.getState(thread));
  await agent.invoke(decide({ [request?.id ?? ""]: { type: "edit", input: { to: "Bob" } } }), thread);
  expect([around, paid]).toEqual([1, ["Bob"]]);
  await agent.invoke({ messages: "Pay again." }, thread);
  const [other] = approvalRequests(await agent.getState(thread));
  await agent.invoke(decide({ [other?.id ?? ""]: "refuse" }), thread);
  expect([around, paid]).toEqual([1, ["Bob"]]);
});

it("an error in a hook around the model ends the run, which can be resumed", async () => {
  let isBroken = true;
  const agent = createAgent({
    model: scriptedModel(["Fine."]),
    checkpointer: new MemorySaver(),
    hooks: {
      beforeModel: () => {
        if (isBroken) throw new Error("no");
        return undefined;
      },
    },
  });
  await expect(agent.invoke({ messages: "Well?" }, thread)).rejects.toThrow("no");
  isBroken = false;
  expect((await agent.invoke(null, thread)).answer).toBe("Fine.");
});

it.each([
  [{ beforeModel: () => [] }, /^hooks: its beforeModel returned a wrong value/],
  [{ afterModel: () => ({ text: 5 }) }, /^hooks: its afterModel returned a wrong value/],
])("what a hook returns is checked: %s", async (hooks, message) => {
  const agent = Reflect.apply(createAgent, undefined, [{ model: scriptedModel(["Fine."]), hooks }]);
  await expect(agent.invoke({ messages: [new HumanMessage("Well?")] })).rejects.toThrow(message);
});

it.each([
  [{ beforeModel: 5 }, /^hooks\.beforeModel: 5 is not possible; give a function/],
  [{ beforeTool: () => {} }, /^hooks\.beforeTool: there is no such option; did you mean "beforeModel"/],
])("wrong hooks are refused: %s", (hooks, message) => {
  expect(() => Reflect.apply(createAgent, undefined, [{ model: "openai:m", hooks }])).toThrow(message);
});
