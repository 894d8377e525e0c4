import { getEventListeners } from "node:events";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type AgentOptions, createAgent, streamTurn, type TurnEvent } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { type OpenAIServer, type ServerReply, startOpenAIServer } from "../helpers/openai-server.js";
import { matrix } from "../matrix/matrix.js";
import { memorySaver, savers } from "../matrix/savers.js";

const thread = { configurable: { thread_id: "1" } };
const answered = " I know.\nFinal Answer: It is one two three four five six seven eight nine ten";
const usage = { prompt: 100, completion: 20 };

function modelAt(server: OpenAIServer) {
  return new ChatOpenAI({ model: "m", apiKey: "key", maxRetries: 0, configuration: { baseURL: server.url } });
}

/** Starts a turn, and cancels it when a part of its answer was shown. */
async function cancelInAnswer(options: Omit<AgentOptions, "model">, server: OpenAIServer) {
  const agent = createAgent({ model: modelAt(server), rephrase: false, ...options });
  const cancelling = new AbortController();
  const events: TurnEvent[] = [];
  let shown = "";
  const turn = async () => {
    const config = { ...thread, signal: cancelling.signal };
    for await (const event of streamTurn(agent, { messages: "Count." }, config)) {
      events.push(event);
      if (event.type === "answer-delta" || event.type === "text-delta") shown += event.text;
      if (!shown.includes("three") || cancelling.signal.aborted) continue;
      cancelling.abort(new Error("enough"));
    }
  };
  await expect(turn()).rejects.toThrow("enough");
  return { agent, events };
}

describe.each(matrix(savers, memorySaver))("a turn in $kept that was cancelled in its answer", ({ open }) => {
  it.each(["react", "tool-calling"] as const)(
    "keeps the part of the answer that was shown, and its stop reason (%s)",
    async (protocol) => {
      const text = protocol === "react" ? answered : "It is one two three four five six seven eight nine ten";
      await using server = await startOpenAIServer([{ text, pauseMs: 20, usage }, "Next.", " So\nFinal Answer: Next."]);
      const { agent, events } = await cancelInAnswer({ protocol, checkpointer: await open() }, server);
      expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason: "cancelled" });
      const { values, next } = await agent.getState(thread);
      expect(values).toMatchObject({ stopReason: "cancelled", answer: expect.stringMatching(/^It is one two three/) });
      expect(values.answer).not.toContain("ten");
      expect(next).toEqual(["plan"]);
      expect(values.usage.turn).toMatchObject({ modelCalls: 1, estimatedTokens: expect.any(Number) });
    },
  );

  it("can be resumed, and its usage has the calls before the cancellation", async () => {
    await using server = await startOpenAIServer([
      { text: answered, pauseMs: 20 },
      { text: answered, usage },
    ]);
    const { agent } = await cancelInAnswer({ protocol: "react", checkpointer: await open() }, server);
    const state = await agent.invoke(null, thread);
    expect(state).toMatchObject({
      stopReason: "answered",
      answer: expect.stringContaining("ten"),
      turn: { number: 1 },
    });
    const { modelCalls, inputTokens, estimatedTokens = 0 } = state.usage.turn;
    expect(modelCalls).toBe(2);
    expect(inputTokens).toBeGreaterThan(100);
    expect(estimatedTokens).toBeGreaterThan(0);
  });

  it("is shown to the model with the next question", async () => {
    await using server = await startOpenAIServer([{ text: answered, pauseMs: 20 }, " So\nFinal Answer: Eleven."]);
    const { agent } = await cancelInAnswer({ protocol: "react", checkpointer: await open() }, server);
    const state = await agent.invoke({ messages: "And then?" }, thread);
    expect(state).toMatchObject({ answer: "Eleven.", stopReason: "answered", turn: { number: 2 } });
    expect(state.chatHistory.turns).toMatchObject([
      { question: "Count.", answer: expect.stringMatching(/^It is one two three/), stopReason: "cancelled" },
    ]);
    expect(state.messages.map((message) => message.text)[1]).toMatch(/^It is one two three/);
    expect(server.prompts()[1]).toMatch(/A: It is one two three/);
    expect(state.usage.thread.modelCalls).toBe(2);
  });
});

describe.each([memorySaver])("a cancelled turn in $kept", ({ open }) => {
  let begun = () => {};
  const never = tool(
    (_, { signal }: { signal?: AbortSignal }) => {
      queueMicrotask(() => begun());
      return new Promise<string>((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
      });
    },
    { name: "never", description: "Never ends.", schema: z.object({}) },
  );
  const deaf = tool(
    () => {
      queueMicrotask(() => begun());
      return new Promise<string>(() => {});
    },
    { name: "deaf", description: "Does not hear.", schema: z.object({}) },
  );

  it.each([never, deaf])("leaves its thread free at once, also in the tool $name", async (slow) => {
    const model = scriptedModel([{ tool_calls: [{ name: slow.name, args: {} }] }, "Next."]);
    const agent = createAgent({ model, tools: [slow], rephrase: false, checkpointer: await open() });
    const cancelling = new AbortController();
    begun = () => cancelling.abort(new Error("enough"));
    const run = agent.invoke({ messages: "Go." }, { ...thread, signal: cancelling.signal });
    await expect(run).rejects.toThrow("enough");
    expect((await agent.getState(thread)).values.stopReason).toBe("cancelled");
    expect((await agent.invoke({ messages: "And now?" }, thread)).answer).toBe("Next.");
  });

  it("has an answer that says so when no part of the answer was shown", async () => {
    const cancelling = new AbortController();
    await using server = await startOpenAIServer((_request, number) => {
      cancelling.abort();
      return number === 0 ? { hang: true } : "Next.";
    });
    const agent = createAgent({ model: modelAt(server), rephrase: false, checkpointer: await open() });
    const run = agent.invoke({ messages: "Go." }, { ...thread, signal: cancelling.signal });
    await expect(run).rejects.toThrow();
    expect((await agent.getState(thread)).values).toMatchObject({ stopReason: "cancelled", answer: null });
    const { messages } = await agent.invoke({ messages: "And now?" }, thread);
    expect(messages[1]?.text).toBe("I did not answer this question: the turn was cancelled.");
  });

  it("closes the connection to the model", async () => {
    const replies: ServerReply[] = [{ hang: true }, { text: answered, pauseMs: 30 }, { hang: true }];
    await using server = await startOpenAIServer(replies);
    for (const disableStreaming of [false, false, true]) {
      const fields = { model: "m", apiKey: "key", maxRetries: 0, configuration: { baseURL: server.url } };
      const agent = createAgent({ model: new ChatOpenAI({ ...fields, disableStreaming }), protocol: "react" });
      const signal = AbortSignal.timeout(150);
      await expect(agent.invoke({ messages: "Go." }, { signal })).rejects.toThrow();
      await server.requests.at(-1)?.closed;
    }
  });

  it("leaves no listener on a signal that is used again and again", async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error) => warnings.push(warning);
    process.on("warning", warn);
    const { signal } = new AbortController();
    // Node warns of the eleventh.
    const replies = Array.from({ length: 12 }, () => "Fine.");
    const agent = createAgent({ model: scriptedModel(replies), rephrase: false, checkpointer: await open() });
    for (const _ of replies) await agent.invoke({ messages: "Well?" }, { ...thread, signal });
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    process.off("warning", warn);
    expect(warnings).toEqual([]);
  });
});

it("a resumed turn counts the usage of its broken replies, too", async () => {
  await using server = await startOpenAIServer([{ text: "a b c", cutAfterPieces: 2 }, 503, { text: "Well.", usage }]);
  const agent = createAgent({ model: modelAt(server), checkpointer: new MemorySaver() });
  await expect(agent.invoke({ messages: "Go." }, thread)).rejects.toThrow(/broke off/);
  await expect(agent.invoke(null, thread)).rejects.toThrow(/failed \(503\)/);
  const failed = await agent.getState(thread);
  expect(failed.values).toMatchObject({ stopReason: null, usage: { turn: { modelCalls: 1 } } });
  const state = await agent.invoke(null, thread);
  expect(state).toMatchObject({ answer: "Well.", usage: { turn: { modelCalls: 2 }, thread: { modelCalls: 2 } } });
});
