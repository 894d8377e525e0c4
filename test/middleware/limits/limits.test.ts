import { Document } from "@langchain/core/documents";
import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type AgentOptions,
  type AgentStateValues,
  continueTurn,
  createAgent,
  createRetrievalAgent,
  reopenTurn,
  streamTurn,
  ThreadError,
} from "../../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../../src/testing/index.js";
import { coded } from "../../helpers/coded.js";
import { allOf } from "../../helpers/turn-events.js";
import { putClockOn } from "./clock.js";
import { describeLimits, isQuick, lookup, thread } from "./each-limit.js";

describeLimits(isQuick);

const prices = { "glassloop-scripted": { input: 1_000, output: 1_000 } };

it.each<[stopReason: string, limits: AgentOptions["limits"], modelCalls: number]>([
  ["step-limit", { maxSteps: 2 }, 3],
  ["model-call-limit", { maxModelCalls: 3 }, 3],
  ["token-limit", { maxTokens: 2_000 }, 2],
  ["cost-limit", { maxDollars: 2, prices }, 2],
  ["time-limit", { maxTurnMs: 100_000 }, 3],
])(
  "a forced end (%s) only says why, and nothing is kept back for a last call",
  async (stopReason, limits, modelCalls) => {
    const { look } = lookup({ takes: 45_000, results: (text) => (text === "2" ? "much ".repeat(960) : text) });
    const model = scriptedModel(["1", "2", "3"].map((text) => ({ tool_calls: [{ name: "look", args: { text } }] })));
    const agent = createAgent({ model, tools: [look], limits: { ...limits, earlyStopping: "force" } });
    const state = await agent.invoke({ messages: "What is there?" });
    expect(state).toMatchObject({ stopReason, answer: expect.stringMatching(/^I stopped without an answer: /) });
    expect(model.calls).toHaveLength(modelCalls);
  },
);

describe("a follow-up question", () => {
  const late = () => {
    putClockOn(85_000);
    throw Object.assign(new Error("The request timed out."), { name: "TimeoutError" });
  };

  it.each<[string, Parameters<typeof scriptedModel>[0], AgentOptions["limits"], Partial<AgentStateValues>]>([
    [
      "rephrased, if the limit leaves room for the call",
      ["Next?", "Two."],
      { maxModelCalls: 3 },
      { question: "Next?" },
    ],
    ["not rephrased, if the call would leave no room for the answer", ["Two."], { maxModelCalls: 1 }, {}],
    [
      "not rephrased, if the model does not reply in the time of the turn",
      [late, "Two."],
      { maxTurnMs: 100_000 },
      { stopReason: "time-limit" },
    ],
  ])("is %s", async (_, replies, limits, expected) => {
    const model = scriptedModel(["One.", ...replies]);
    const options = { limits, modelCalls: { maxRetries: 0 }, rephrase: true, checkpointer: new MemorySaver() };
    const agent = createAgent({ model, ...options });
    await agent.invoke({ messages: "First?" }, thread);
    const state = await agent.invoke({ messages: "And next?" }, thread);
    expect(state).toMatchObject({ question: "And next?", answer: "Two.", ...expected });
  });
});

it.each<[string, Partial<AgentOptions>, Partial<AgentOptions>]>([
  ["tokens", { limits: { maxTokens: 500 } }, { limits: { maxTokens: 60 } }],
  ["dollars", { limits: { maxDollars: 0.5, prices } }, { limits: { maxDollars: 0.06, prices } }],
])(
  "the first reply of a turn is requested only if its prompt alone is within the limit on %s",
  async (_, high, low) => {
    const { look, inputs } = lookup();
    const messages = "How high is it? ".repeat(20);
    const ask = (options: Partial<AgentOptions>, ...replies: ScriptedReply[]) =>
      createAgent({ model: scriptedModel(replies), tools: [look], ...options }).invoke({ messages });
    expect(await ask(high, "324 m.")).toMatchObject({ answer: "324 m.", stopReason: "answered" });
    const call = { tool_calls: [{ name: "look", args: { text: "a" } }] };
    expect((await ask(high, call)).answer).toMatch(/^I stopped without an answer: /);
    expect(inputs).toEqual(["a"]);
    expect((await ask(low)).answer).toMatch(/^I stopped without an answer: /);
  },
);

it("a tool has no more time than its turn, and the turn has an answer", async () => {
  const never = tool(() => new Promise<string>(() => {}), {
    name: "wait",
    description: "Waits.",
    schema: z.object({}),
  });
  // A fifth of the time is kept for the last call.
  const late = () => {
    putClockOn(240_000);
    return { tool_calls: [{ name: "wait", args: {} }] };
  };
  const options = { tools: [never], limits: { maxTurnMs: 300_000, toolTimeoutMs: 2_000 } };
  const agent = createAgent({ model: scriptedModel([late, "Nobody came."]), ...options });
  const state = await agent.invoke({ messages: "Who comes?" });
  expect(state).toMatchObject({ answer: "Nobody came.", stopReason: "time-limit" });
  expect(state.intermediateSteps[0]?.results[0]?.observation).toMatch(/^wait did not return within 1 ms\./);
});

it("a limit of undefined means its default", async () => {
  const slow = () => scriptedModel([() => new Promise((answered) => setTimeout(answered, 30, "Two."))]);
  const modelCalls = { timeouts: { firstTokenMs: undefined, betweenTokensMs: undefined, totalMs: undefined } };
  const limits = { maxTurnMs: undefined, toolTimeoutMs: undefined };
  const agent = createAgent({ model: slow(), modelCalls, limits });
  expect((await agent.invoke({ messages: "?" })).answer).toBe("Two.");
  const retriever = { invoke: async () => [new Document({ pageContent: "Two." })] };
  const retrieval = { retriever, modelCalls, limits: { searchTimeoutMs: undefined } };
  const retrievalAgent = createRetrievalAgent({ model: slow(), ...retrieval });
  expect((await retrievalAgent.invoke({ messages: "How many?" })).answer).toBe("Two.");
});

describe("a turn that is continued", () => {
  const calls = (...texts: string[]) => texts.map((text) => ({ tool_calls: [{ name: "look", args: { text } }] }));

  it("gets its whole limits again each time, and so always goes on, also as a stream", async () => {
    const { look, inputs } = lookup();
    const model = scriptedModel([...calls("a", "b"), "One.", ...calls("c"), "Two.", "Three."]);
    const agent = createAgent({ model, tools: [look], limits: { maxSteps: 1 }, checkpointer: new MemorySaver() });
    expect((await agent.invoke({ messages: "?" }, thread)).answer).toBe("One.");
    expect((await continueTurn(agent, "t")).answer).toBe("Two.");
    const events = await allOf(streamTurn(agent, null, await reopenTurn(agent, "t")));
    expect(events[0]).toMatchObject({ type: "turn-start", resumed: true });
    expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason: "answered" });
    const { values } = await agent.getState(thread);
    expect(values).toMatchObject({ answer: "Three.", intermediateSteps: { length: 3 } });
    expect(inputs).toEqual(["a", "b", "c"]);
    expect(values.messages.filter((message: AIMessage) => AIMessage.isInstance(message) && message.text)).toHaveLength(
      1,
    );
  });

  it("may be one that was stopped", async () => {
    const { look } = lookup();
    const model = scriptedModel([...calls("a"), "One."]);
    const agent = createAgent({ model, tools: [look], checkpointer: new MemorySaver() });
    await agent.invoke({ messages: "?" }, { ...thread, interruptBefore: ["act"] });
    expect((await continueTurn(agent, "t")).answer).toBe("One.");
  });

  it("is refused if there is nothing to continue", async () => {
    const agent = createAgent({ model: scriptedModel(["One."]), checkpointer: new MemorySaver() });
    await expect(continueTurn(agent, "t")).rejects.toThrow(coded(ThreadError, "no-turn-to-continue"));
    await agent.invoke({ messages: "?" }, thread);
    await expect(continueTurn(agent, "t")).rejects.toThrow(/did not end at a limit \(answered\)/);
  });
});
