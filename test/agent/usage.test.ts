import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type AgentOptions,
  approvalRequests,
  createAgent,
  decide,
  streamTurn,
  summary,
  type TurnEvent,
  type UsageCounts,
} from "../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../src/testing/index.js";
import { type ServerReply, startOpenAIServer } from "../helpers/openai-server.js";
import { dialects, inReact, inToolCalls } from "../matrix/dialects.js";
import { matrix } from "../matrix/matrix.js";

const echo = tool(async ({ text }) => text, {
  name: "echo",
  description: "Says the text.",
  schema: z.object({ text: z.string() }),
});
const thread = { configurable: { thread_id: "1" } };
const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };

function toServer(reply: ScriptedReply): Exclude<ServerReply, string | number> {
  if (typeof reply === "string") return { text: reply };
  if (reply instanceof Error || Array.isArray(reply.content)) throw new Error("Not a reply of a server.");
  const { content = "", tool_calls = [], invalid_tool_calls = [] } = reply;
  const broken = invalid_tool_calls.map(({ name = "", args = "" }) => ({ name, args }));
  return { text: String(content), toolCalls: [...tool_calls, ...broken] };
}

function tokensIn(value: unknown): number {
  return Math.round(JSON.stringify(value).length / 3.1);
}

/** Starts a server that counts the tokens of each reply, and adds up what it counted. */
async function countingServer(script: readonly ServerReply[]) {
  const counted = { modelCalls: 0, inputTokens: 0, outputTokens: 0 };
  const server = await startOpenAIServer(
    ({ body }, index) => {
      const reply = script[index] ?? 500;
      const spoken = typeof reply === "string" ? { text: reply } : reply;
      if (typeof spoken === "number" || "status" in spoken || "hang" in spoken || "noChoices" in spoken) return spoken;
      const prompt = tokensIn([body.messages, body.tools]);
      const completion = tokensIn([spoken.text, spoken.toolCalls]);
      counted.modelCalls += 1;
      counted.inputTokens += prompt;
      counted.outputTokens += completion;
      return { ...spoken, usage: { prompt, completion } };
    },
    { applyStop: false },
  );
  const model = new ChatOpenAI({ model: "m", apiKey: "key", configuration: { baseURL: server.url } });
  return { counted, model, server, [Symbol.asyncDispose]: () => server.close() };
}

function callsOf({ modelCalls, inputTokens, outputTokens, estimatedTokens }: UsageCounts) {
  return { modelCalls, inputTokens, outputTokens, estimatedTokens };
}

describe.each(matrix(dialects, inReact, inToolCalls))("the usage of a thread ($protocol)", (dialect) => {
  const { protocol, act, answer, unreadable } = dialect;

  it("is the server's count: replies, corrections, rephrased questions, summaries", async () => {
    const script = [
      ...[act("echo", { text: "a" }), unreadable, answer("One.")],
      ...["Question two?", answer("Two.")],
      ...["A summary.", "Question three?", answer("Three.")],
    ];
    await using given = await countingServer(script.map(toServer));
    const { model } = given;
    const memory = summary({ turns: 1 });
    const options = { protocol, tools: [echo], memory, rephrase: true, checkpointer: new MemorySaver() };
    const agent = createAgent({ model, ...options });
    await agent.invoke({ messages: "Question one?" }, thread);
    await agent.invoke({ messages: "And two?" }, thread);
    const before = { ...given.counted };
    const state = await agent.invoke({ messages: "And three?" }, thread);
    expect(state.chatHistory.summary).toBe("A summary.");
    expect(callsOf(state.usage.thread)).toEqual({ ...given.counted, estimatedTokens: undefined });
    expect(state.usage.thread.models).toEqual({ m: given.counted });
    expect(state.usage.turn.inputTokens).toBe(given.counted.inputTokens - before.inputTokens);
    expect(state.usage.turn.modelCalls).toBe(3);
    expect(given.counted.modelCalls).toBe(8);
  });

  it("has an estimate for a reply that broke off, marked as estimated, and close to the real count", async () => {
    const broken = { text: "word ".repeat(200), cutAfterPieces: 150 };
    await using given = await countingServer([toServer(answer("One.")), broken, toServer(answer("Two."))]);
    const { model, counted } = given;
    const agent = createAgent({ model, protocol, tools: [echo], rephrase: false, checkpointer: new MemorySaver() });
    await agent.invoke({ messages: "Question one?" }, thread);
    const { usage } = await agent.invoke({ messages: "And two?" }, thread);
    const { modelCalls, inputTokens, outputTokens, estimatedTokens = 0 } = usage.thread;
    expect(modelCalls).toBe(3);
    expect(estimatedTokens).toBeGreaterThan(200);
    // The server counted the whole reply, and sent three quarters of it.
    const sent = counted.outputTokens - tokensIn([broken.text]) / 4;
    expect(Math.abs(inputTokens / counted.inputTokens - 1)).toBeLessThan(0.1);
    expect(Math.abs(outputTokens / sent - 1)).toBeLessThan(0.35);
  });
});

it("cached and reasoning tokens are counted as the provider reports them", async () => {
  const parts = { prompt: 100, completion: 50, cached: 40, reasoning: 30, audio: 7 };
  await using server = await startOpenAIServer([{ text: "Hello.", usage: parts }]);
  const model = new ChatOpenAI({ model: "m", apiKey: "key", configuration: { baseURL: server.url } });
  const counted = {
    ...{ modelCalls: 1, inputTokens: 100, outputTokens: 50, cacheReadTokens: 40, reasoningTokens: 30 },
    ...{ audioInputTokens: 7, audioOutputTokens: 7 },
  };
  const { usage } = await createAgent({ model }).invoke({ messages: "Hi" });
  expect(usage.turn).toEqual({ ...counted, toolCalls: 0, models: { m: counted } });
});

it("the tokens of a model that reports none are estimated", async () => {
  const { usage } = await createAgent({ model: scriptedModel(["Hello there."]) }).invoke({ messages: "Hi" });
  const { inputTokens, outputTokens } = usage.turn;
  expect(usage.turn).toMatchObject({ modelCalls: 1, estimatedTokens: inputTokens + outputTokens });
  expect(outputTokens).toBe(3);
});

it("a prompt that was reported at the start of a stream counts, and the tokens of the cut reply are estimated", async () => {
  const model = scriptedModel([
    { content: `${"word ".repeat(40)}\nObservation: 99`, usage_metadata: usage },
    "Final Answer: 5",
  ]);
  const agent = createAgent({ model, protocol: "react" });
  const { usage: spent } = await agent.invoke({ messages: "Hi" });
  expect(spent.turn.estimatedTokens).toBeGreaterThan(40);
});

describe("an agent in a tool", () => {
  const inner = (replies: readonly ScriptedReply[], options: Partial<AgentOptions> = {}) =>
    createAgent({ model: scriptedModel(replies, { usage }), tools: [echo], ...options });
  const asTool = (agent: ReturnType<typeof inner>, name = "helper") =>
    tool(async ({ task }, config) => (await agent.invoke({ messages: task }, config)).answer, {
      name,
      description: "Helps.",
      schema: z.object({ task: z.string() }),
    });
  const calls = (name: string, args: Record<string, unknown>) => ({ tool_calls: [{ name, args }] });
  const outer = (tools: AgentOptions["tools"], replies: readonly ScriptedReply[]) =>
    createAgent({ model: scriptedModel(replies, { usage }), tools: tools ?? [], checkpointer: new MemorySaver() });

  it("is counted by the outer agent, at any depth", async () => {
    const deepest = asTool(inner([calls("echo", { text: "a" }), "Deep."]), "deepest");
    const middle = asTool(inner([calls("deepest", { task: "go" }), "Middle."], { tools: [deepest] }), "middle");
    const agent = outer([middle], [calls("middle", { task: "go" }), "Done."]);
    const { usage: spent } = await agent.invoke({ messages: "Go" }, thread);
    expect(spent.turn).toMatchObject({ modelCalls: 6, inputTokens: 60, outputTokens: 30, toolCalls: 3 });
  });

  it("is counted once after an interrupt", async () => {
    const pay = tool(async () => "paid", { name: "pay", description: "Pays.", schema: z.object({}) });
    const helper = asTool(
      inner([calls("echo", { text: "a" }), calls("pay", {}), "Paid."], {
        tools: [echo, pay],
        approve: ({ name }) => name === "pay",
      }),
    );
    const agent = outer([helper], [calls("helper", { task: "go" }), "Done."]);
    const stopped = await agent.invoke({ messages: "Go" }, thread);
    expect(stopped.answer).toBeNull();
    const [request] = approvalRequests(await agent.getState(thread));
    const { usage: spent, answer } = await agent.invoke(decide({ [request?.id ?? ""]: "approve" }), thread);
    expect(answer).toBe("Done.");
    expect(spent.turn).toMatchObject({ modelCalls: 5, inputTokens: 50, toolCalls: 3 });
  });

  it("is counted when it fails", async () => {
    const helper = asTool(inner([calls("echo", { text: "a" }), new Error("down")]));
    const { usage: spent } = await outer([helper], [calls("helper", { task: "go" }), "Done."]).invoke(
      { messages: "Go" },
      thread,
    );
    expect(spent.turn).toMatchObject({ modelCalls: 3, toolCalls: 2 });
  });
});

it.each<[string, ServerReply, object, object]>([
  [
    "has the usage of the broken replies",
    { text: "one two three", cutAfterPieces: 2 },
    { model: "m", estimatedTokens: expect.any(Number) },
    { modelCalls: 2 },
  ],
  [
    "has no tokens for a call without a reply",
    401,
    expect.not.objectContaining({ inputTokens: expect.anything() }),
    { modelCalls: 0, inputTokens: 0 },
  ],
])("the end of a failed turn %s", async (_, reply, call, turn) => {
  await using server = await startOpenAIServer(() => reply);
  const model = new ChatOpenAI({ model: "m", apiKey: "key", maxRetries: 1, configuration: { baseURL: server.url } });
  const events: TurnEvent[] = [];
  const run = async () => {
    for await (const event of streamTurn(createAgent({ model }), { messages: "Hi" })) events.push(event);
  };
  await expect(run()).rejects.toThrow();
  const ends = events.filter(({ type }) => type === "model-end" || type === "turn-end");
  expect(ends).toMatchObject([call, { stopReason: "failed", usage: { turn } }]);
});
