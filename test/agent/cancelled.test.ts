import { getEventListeners } from "node:events";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { type AgentOptions, createAgent, streamTurn, type TurnEvent } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { modelAt, type OpenAIServer, startOpenAIServer } from "../helpers/openai-server.js";
import { bareTool } from "../helpers/tools.js";
import { matrix } from "../matrix/matrix.js";
import { memorySaver, savers } from "../matrix/savers.js";

const thread = { configurable: { thread_id: "1" } };
const counting = "It is one two three four five six seven eight nine ten";
const answered = ` I know.\nFinal Answer: ${counting}`;
/** A reply that is never finished. */
const stalled = { text: answered, stallAfterPieces: 11 };
const usage = { prompt: 100, completion: 20 };

/** Starts a turn, and cancels it when a part of its answer was shown. */
async function cancelInAnswer(options: Omit<AgentOptions, "model">, server: OpenAIServer) {
  const agent = createAgent({ model: modelAt(server.url), rephrase: false, ...options });
  const cancelling = new AbortController();
  const events: TurnEvent[] = [];
  let shown = "";
  const turn = async () => {
    const config = { ...thread, signal: cancelling.signal };
    for await (const event of streamTurn(agent, { messages: "Count." }, config)) {
      events.push(event);
      if (event.type === "answer-delta" || event.type === "text-delta") shown += event.text;
      if (shown.includes("three")) cancelling.abort(new Error("enough"));
    }
  };
  await expect(turn()).rejects.toThrow("enough");
  return { agent, events };
}

describe.each(matrix(savers, memorySaver))("a turn in $kept that was cancelled in its answer", ({ open }) => {
  it.each([
    { protocol: "react", reply: stalled, whole: answered },
    { protocol: "tool-calling", reply: { text: counting, stallAfterPieces: 7 }, whole: counting },
  ] as const)(
    "keeps the part of the answer that was shown and its usage, and can be resumed ($protocol)",
    async ({ protocol, reply, whole }) => {
      await using server = await startOpenAIServer([reply, { text: whole, usage }]);
      const { agent, events } = await cancelInAnswer({ protocol, checkpointer: await open() }, server);
      await server.requests[0]?.closed;
      expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason: "cancelled" });
      const { values, next } = await agent.getState(thread);
      expect(values).toMatchObject({ stopReason: "cancelled", answer: expect.stringMatching(/^It is one two three/) });
      expect(values.answer).not.toContain("ten");
      const said = values.messages.at(-1);
      expect(said).toMatchObject({ content: values.answer, id: expect.stringMatching(/^[0-9a-f]{12}$/) });
      expect(next).toEqual(["plan"]);
      expect(values.usage.turn).toMatchObject({ modelCalls: 1, estimatedTokens: expect.any(Number) });
      const state = await agent.invoke(null, thread);
      expect(state).toMatchObject({ stopReason: "answered", answer: counting, turn: { number: 1 } });
      const { modelCalls, inputTokens, estimatedTokens = 0 } = state.usage.turn;
      expect(modelCalls).toBe(2);
      expect(inputTokens).toBeGreaterThan(100);
      expect(estimatedTokens).toBeGreaterThan(0);
    },
  );

  it("is shown to the model with the next question", async () => {
    await using server = await startOpenAIServer([stalled, " So\nFinal Answer: Eleven."]);
    const { agent } = await cancelInAnswer({ protocol: "react", checkpointer: await open() }, server);
    const state = await agent.invoke({ messages: "And then?" }, thread);
    expect(state).toMatchObject({ answer: "Eleven.", stopReason: "answered", turn: { number: 2 } });
    expect(state.chatHistory.turns).toMatchObject([
      { question: "Count.", answer: expect.stringMatching(/^It is one two three/), stopReason: "cancelled" },
    ]);
    expect(state.messages[1]?.text).toMatch(/^It is one two three/);
    expect(server.prompts()[1]).toMatch(/A: It is one two three/);
    expect(state.usage.thread.modelCalls).toBe(2);
  });
});

describe("a cancelled turn", () => {
  it("leaves its thread free at once, also in a tool that does not hear of it", async () => {
    const cancelling = new AbortController();
    const deaf = bareTool("deaf", () => {
      cancelling.abort(new Error("enough"));
      return new Promise(() => {});
    });
    const model = scriptedModel([{ tool_calls: [{ name: "deaf", args: {} }] }, "Next."]);
    const agent = createAgent({ model, tools: [deaf], rephrase: false, checkpointer: new MemorySaver() });
    const run = agent.invoke({ messages: "Go." }, { ...thread, signal: cancelling.signal });
    await expect(run).rejects.toThrow("enough");
    expect((await agent.getState(thread)).values.stopReason).toBe("cancelled");
    expect((await agent.invoke({ messages: "And now?" }, thread)).answer).toBe("Next.");
  });

  it.each([false, true])(
    "closes the connection to the model, and says so where no answer was shown (disableStreaming: %s)",
    async (disableStreaming) => {
      const cancelling = new AbortController();
      await using server = await startOpenAIServer((_request, number) => {
        cancelling.abort(new Error("enough"));
        return number === 0 ? { hang: true } : "Next.";
      });
      const model = modelAt(server.url, { disableStreaming });
      const agent = createAgent({ model, rephrase: false, checkpointer: new MemorySaver() });
      const run = agent.invoke({ messages: "Go." }, { ...thread, signal: cancelling.signal });
      await expect(run).rejects.toThrow("enough");
      await server.requests[0]?.closed;
      expect((await agent.getState(thread)).values).toMatchObject({ stopReason: "cancelled", answer: null });
      const { messages } = await agent.invoke({ messages: "And now?" }, thread);
      expect(messages[1]?.text).toBe("I did not answer this question: the turn was cancelled.");
    },
  );
});

it("a turn leaves no listener on a signal that is used again and again", async () => {
  const { signal } = new AbortController();
  const agent = createAgent({
    model: scriptedModel(["Fine.", "Fine."]),
    rephrase: false,
    checkpointer: new MemorySaver(),
  });
  for (const messages of ["Well?", "And now?"]) await agent.invoke({ messages }, { ...thread, signal });
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});
