import { Document } from "@langchain/core/documents";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type AgentOptions,
  continueTurn,
  createAgent,
  createRetrievalAgent,
  reopenTurn,
  streamTurn,
  ThreadError,
} from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { coded } from "../../helpers/coded.js";
import { allOf } from "../../helpers/turn-events.js";
import { describeLimits, isQuick, lookup, putClockOn, thread } from "./each-limit.js";

describeLimits(isQuick);

describe("a follow-up question", () => {
  const replies = ["One.", "What is next?", "Two."];
  const asked = async (options: Partial<AgentOptions>, model = scriptedModel(replies)) => {
    const agent = createAgent({ model, checkpointer: new MemorySaver(), rephrase: true, ...options });
    await agent.invoke({ messages: "First?" }, thread);
    return agent.invoke({ messages: "And next?" }, thread);
  };

  it("is rephrased, if the limit leaves room for the call", async () => {
    expect(await asked({ limits: { maxModelCalls: 3 } })).toMatchObject({ question: "What is next?", answer: "Two." });
  });

  it("is not rephrased, if the call would leave no room for the answer", async () => {
    const model = scriptedModel(["One.", "Two."]);
    expect(await asked({ limits: { maxModelCalls: 1 } }, model)).toMatchObject({
      question: "And next?",
      answer: "Two.",
    });
  });

  it("is not rephrased, if the model does not reply in the time of the turn", async () => {
    const late = () => {
      putClockOn(85_000);
      throw Object.assign(new Error("The request timed out."), { name: "TimeoutError" });
    };
    const model = scriptedModel(["One.", late, "Two."]);
    const state = await asked({ limits: { maxTurnMs: 100_000 }, modelCalls: { maxRetries: 0 } }, model);
    expect(state).toMatchObject({ question: "And next?", answer: "Two.", stopReason: "time-limit" });
  });

  it("is not rephrased, if the model does not reply in the time of a call", async () => {
    const late = () => new Promise<string>(() => {});
    const model = scriptedModel(["One.", late, "Two."]);
    const state = await asked({ modelCalls: { timeouts: { totalMs: 1_000 }, maxRetries: 0 } }, model);
    expect(state).toMatchObject({ question: "And next?", answer: "Two.", stopReason: "answered" });
  });
});

describe("the first reply of a turn", () => {
  const prices = { "glassloop-scripted": { input: 1_000, output: 1_000 } };
  const question = "How high is it? ".repeat(20);

  it.each<[string, Partial<AgentOptions>]>([
    ["tokens", { limits: { maxTokens: 500 } }],
    ["dollars", { limits: { maxDollars: 0.5, prices } }],
  ])("is requested if its prompt alone is within the limit on %s, and a step may follow", async (_, limit) => {
    const { look, inputs } = lookup();
    const call = { tool_calls: [{ name: "look", args: { text: "a" } }] };
    const answered = createAgent({ model: scriptedModel(["324 m."]), tools: [look], ...limit });
    expect(await answered.invoke({ messages: question })).toMatchObject({ answer: "324 m.", stopReason: "answered" });
    const stopped = createAgent({ model: scriptedModel([call]), tools: [look], ...limit });
    const state = await stopped.invoke({ messages: question });
    expect(state.answer).toMatch(/^I stopped without an answer: /);
    expect(inputs).toEqual(["a"]);
  });

  it.each<[string, Partial<AgentOptions>]>([
    ["tokens", { limits: { maxTokens: 60 } }],
    ["dollars", { limits: { maxDollars: 0.06, prices } }],
  ])("is not requested if its prompt alone is beyond the limit on %s", async (_, limit) => {
    const model = scriptedModel([]);
    const state = await createAgent({ model, ...limit }).invoke({ messages: question });
    expect(state.answer).toMatch(/^I stopped without an answer: /);
    expect(model.calls).toHaveLength(0);
  });
});

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

describe("a limit of undefined means its default", () => {
  const slow = () => scriptedModel([() => new Promise((answered) => setTimeout(answered, 30, "Two."))]);
  const timeouts = { firstTokenMs: undefined, betweenTokensMs: undefined, totalMs: undefined };

  it("for an agent", async () => {
    const agent = createAgent({
      model: slow(),
      modelCalls: { timeouts },
      limits: { maxTurnMs: undefined, toolTimeoutMs: undefined },
    });
    expect((await agent.invoke({ messages: "?" })).answer).toBe("Two.");
  });

  it("for a retrieval agent", async () => {
    const retriever = { invoke: async () => [new Document({ pageContent: "Two." })] };
    const agent = createRetrievalAgent({
      model: slow(),
      retriever,
      modelCalls: { timeouts },
      limits: { searchTimeoutMs: undefined },
    });
    expect((await agent.invoke({ messages: "How many?" })).answer).toBe("Two.");
  });
});

describe("a turn that is continued", () => {
  const call = (text: string) => ({ tool_calls: [{ name: "look", args: { text } }] });
  const calls = (...texts: string[]) => texts.map(call);

  it("gets its whole limits again each time, and so always goes on", async () => {
    const { look, inputs } = lookup();
    const model = scriptedModel([...calls("a", "b"), "One.", ...calls("c"), "Two.", "Three."]);
    const agent = createAgent({ model, tools: [look], limits: { maxSteps: 1 }, checkpointer: new MemorySaver() });
    expect((await agent.invoke({ messages: "?" }, thread)).answer).toBe("One.");
    expect((await continueTurn(agent, "t")).answer).toBe("Two.");
    const state = await continueTurn(agent, "t");
    expect(state).toMatchObject({ answer: "Three.", stopReason: "answered", intermediateSteps: { length: 3 } });
    expect(inputs).toEqual(["a", "b", "c"]);
    expect(state.messages.filter((message) => message.getType() === "ai" && message.text)).toHaveLength(1);
  });

  it("goes on with an unreadable reply by correcting it", async () => {
    const broken = { invalid_tool_calls: [{ name: "look", args: "{", error: "no JSON" }] };
    const model = scriptedModel([broken, "Bad.", "Good."]);
    const { look } = lookup();
    const agent = createAgent({ model, tools: [look], limits: { maxUnreadable: 1 }, checkpointer: new MemorySaver() });
    expect((await agent.invoke({ messages: "?" }, thread)).stopReason).toBe("unreadable");
    const agentWithMore = createAgent({
      model,
      tools: [look],
      limits: { maxUnreadable: 3 },
      checkpointer: agent.checkpointer || undefined,
    });
    expect(await continueTurn(agentWithMore, "t")).toMatchObject({ answer: "Good.", stopReason: "answered" });
  });

  it("can be streamed, with an event that says that it was continued", async () => {
    const { look } = lookup();
    const model = scriptedModel([...calls("a", "b"), "One.", "Two."]);
    const agent = createAgent({ model, tools: [look], limits: { maxSteps: 1 }, checkpointer: new MemorySaver() });
    await agent.invoke({ messages: "?" }, thread);
    const events = await allOf(streamTurn(agent, null, await reopenTurn(agent, "t")));
    expect(events[0]).toMatchObject({ type: "turn-start", resumed: true });
    expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason: "answered" });
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
