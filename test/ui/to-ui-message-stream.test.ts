import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, type EventDetails, InvalidInputError, streamTurn, type TurnEvent } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { type TurnChunk, toUIMessageStream } from "../../src/ui/index.js";
import { event } from "../helpers/turn-events.js";

async function* told(events: readonly TurnEvent[], error?: unknown): AsyncGenerator<TurnEvent> {
  yield* events;
  if (error !== undefined) throw error;
}

async function chunksOf(stream: ReadableStream<TurnChunk>): Promise<TurnChunk[]> {
  const chunks: TurnChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

const delta = (text: string): EventDetails => ({ type: "answer-delta", text });
const thinking = (text: string): EventDetails => ({ type: "reasoning-delta", text });
const reset: EventDetails = { type: "answer-reset" };
const reply: EventDetails = { type: "model-start", purpose: "reply", model: "m" };
const answer: EventDetails = { type: "answer", text: "So.", stopReason: "answered" };
const part = (output: unknown): EventDetails => ({ type: "output-delta", output });
const usage = { modelCalls: 1, inputTokens: 1, outputTokens: 1, toolCalls: 0, models: {} };
const end = (stopReason: EventDetails<"turn-end">["stopReason"]): EventDetails => ({
  type: "turn-end",
  stopReason,
  usage: { turn: usage, thread: usage },
  milliseconds: 1,
});
const input = { to: "Ann" };
const request = {
  id: "1-1",
  tool: "pay",
  input,
  description: "Pays.",
  why: "It has effects.",
  allowed: ["approve" as const],
  digest: "12",
};
const asked = { description: "Pays.", why: "It has effects.", allowed: ["approve"] };
const ask: EventDetails = { type: "approval", interrupt: "i", requests: [request], complaints: [] };
const act: EventDetails<"action"> = { type: "action", id: "1-1", tool: "pay", toolInput: input };
const called = { type: "tool-input-available", toolCallId: "1-1", toolName: "pay", input, dynamic: true };
const wanted = {
  type: "tool-approval-request",
  toolCallId: "1-1",
  approvalId: "1-1",
  signature: "12",
  approvalDescriptor: asked,
};
const marked = { providerMetadata: { glassloop: { reset: true } } };
const start = (kind: string, n: number) => ({ type: `${kind}-start`, id: `1-${n}` });
const piece = (kind: string, n: number, delta: string) => ({ type: `${kind}-delta`, id: `1-${n}`, delta });
const stop = (kind: string, n: number, more = {}) => ({ type: `${kind}-end`, id: `1-${n}`, ...more });

/** Events of a turn, and the chunks that they become. */
const cases: readonly { about: string; events: readonly EventDetails[]; chunks: readonly object[] }[] = [
  {
    about: "an answer is one part",
    events: [delta("S"), delta("o."), answer],
    chunks: [start("text", 1), piece("text", 1, "S"), piece("text", 1, "o."), stop("text", 1)],
  },
  {
    about: "words that are taken back are marked, and the answer is a part of its own",
    events: [delta("No"), reset, delta("So."), answer],
    chunks: [
      ...[start("text", 1), piece("text", 1, "No"), stop("text", 1, marked)],
      ...[start("text", 2), piece("text", 2, "So."), stop("text", 2)],
    ],
  },
  {
    about: "an answer that goes on after more reasoning stays one part",
    events: [thinking("Hm."), delta("S"), thinking("Ah."), { type: "reasoning", text: "Hm.Ah." }, delta("o."), answer],
    chunks: [
      ...[start("reasoning", 1), piece("reasoning", 1, "Hm."), stop("reasoning", 1)],
      ...[start("text", 2), piece("text", 2, "S")],
      ...[start("reasoning", 3), piece("reasoning", 3, "Ah."), stop("reasoning", 3)],
      ...[piece("text", 2, "o."), stop("text", 2)],
    ],
  },
  {
    about: "the reasoning of a failed try is marked",
    events: [
      thinking("Hm."),
      { type: "retry", purpose: "reply", attempt: 2, why: "Busy.", milliseconds: 0 },
      thinking("Ah."),
    ],
    chunks: [
      ...[start("reasoning", 1), piece("reasoning", 1, "Hm."), stop("reasoning", 1, marked)],
      ...[start("reasoning", 2), piece("reasoning", 2, "Ah.")],
    ],
  },
  {
    about: "each reply is a step, and a summary is none",
    events: [reply, { type: "thought", text: "Hm." }, act, { ...reply, purpose: "summary" }, reply, end("length")],
    chunks: [
      { type: "start-step" },
      ...[start("reasoning", 1), piece("reasoning", 1, "Hm."), stop("reasoning", 1), called],
      { type: "finish-step" },
      { type: "start-step" },
      { type: "finish-step" },
      { type: "finish", finishReason: "length" },
    ],
  },
  {
    about: "a call waits for a person",
    events: [act, ask, end("waiting")],
    chunks: [called, wanted, finish("tool-calls")],
  },
  { about: "a call of an earlier run is shown again when a person is asked", events: [ask], chunks: [called, wanted] },
  {
    about: "a call is shown with what its tool gets, if that is not what the model wrote, and with a note",
    events: [
      { ...act, toolInput: {} },
      { ...ask, requests: [{ ...request, note: "Made of {}." }] },
    ],
    chunks: [{ ...called, input: {} }, called, { ...wanted, approvalDescriptor: { ...asked, note: "Made of {}." } }],
  },
  {
    about: "the call of an earlier run is shown again before its result, once",
    events: [
      {
        type: "turn-start",
        asked: "Pay.",
        number: 1,
        resumed: true,
        actions: [{ id: "1-1", tool: "pay", toolInput: input }],
      },
      { type: "observation", id: "1-1", text: "Paid.", status: "success" },
      { type: "observation", id: "1-2", text: "No.", status: "error" },
    ],
    chunks: [
      { type: "start" },
      called,
      { type: "tool-output-available", toolCallId: "1-1", output: "Paid." },
      { type: "tool-output-error", toolCallId: "1-2", errorText: "No." },
    ],
  },
  {
    about: "a refused call stays refused; the reason for the model is no output",
    events: [
      { type: "decision", id: "1-1", decision: { type: "refuse" } },
      { type: "observation", id: "1-1", text: "Refused.", status: "success" },
    ],
    chunks: [{ type: "tool-output-denied", toolCallId: "1-1" }],
  },
  {
    about: "what a tool asks is data",
    events: [{ type: "interrupt", interrupt: "i", value: "Sure?" }],
    chunks: [{ type: "data-interrupt", id: "i", data: "Sure?" }],
  },
  {
    about: "a source is a link only if it is on the web",
    events: [
      {
        ...answer,
        sources: [
          { number: 1, title: "A", address: "https://x.test/a" },
          { number: 2, title: "B", address: "javascript:alert(1)" },
        ],
      },
    ],
    chunks: [
      { type: "source-url", sourceId: "1", url: "https://x.test/a", title: "A" },
      { type: "source-document", sourceId: "2", title: "B", filename: "javascript:alert(1)" },
    ],
  },
  {
    about: "citations and an output are data",
    events: [
      { type: "citations", citations: [{ number: 1, start: 0, end: 3, source: null, quotes: [] }] },
      { ...answer, output: { sum: 4 } },
    ],
    chunks: [
      { type: "data-citations", id: "1", data: [{ number: 1, start: 0, end: 3, source: null, quotes: [] }] },
      { type: "data-output", id: "1", data: { sum: 4 } },
    ],
  },
  {
    about: "an output grows in place, and is null when it is taken back",
    events: [reset, part({ sum: 5 }), reset, reset, part({}), part({ sum: 4 })],
    chunks: [{ sum: 5 }, null, {}, { sum: 4 }].map((data) => ({ type: "data-output", id: "1", data })),
  },
  {
    about: "a tool of the provider is told as such",
    events: [{ ...act, by: "provider" }],
    chunks: [{ ...called, providerExecuted: true }],
  },
  {
    about: "an aborted turn ends what it began, and says so",
    events: [delta("S"), end("cancelled")],
    chunks: [start("text", 1), piece("text", 1, "S"), stop("text", 1), { type: "abort" }, finish("other")],
  },
  {
    about: "another error has none",
    events: [{ type: "error", name: "TypeError", message: "postgres://me:secret@host" }],
    chunks: [{ type: "error", errorText: "The turn failed." }],
  },
];

function finish(finishReason: string): object {
  return { type: "finish", finishReason };
}

describe("a turn as the AI SDK's stream", () => {
  it.each(cases)("$about", async ({ events, chunks }) => {
    const made = await chunksOf(toUIMessageStream(told(events.map((details) => event(details)))));
    expect(made).toEqual(chunks.map((chunk) => expect.objectContaining(chunk)));
  });

  it("has the calls and questions of an agent in a tool, with its path, and not its words", async () => {
    const inner = [delta("S"), act, ask, answer, end("answered")].map((details) => event(details, { path: ["ask"] }));
    expect(await chunksOf(toUIMessageStream(told(inner)))).toEqual([
      { ...called, providerMetadata: { glassloop: { path: ["ask"] } } },
      wanted,
    ]);
  });

  it("has each error once, with or without an event", async () => {
    const failed = event({ type: "error", name: "InvalidInputError", code: "invalid-input", message: "Empty." });
    const stream = toUIMessageStream(told([], new InvalidInputError("Empty.")));
    expect(await chunksOf(stream)).toEqual([{ type: "error", errorText: expect.stringMatching(/^Empty\. Give/) }]);
    expect(await chunksOf(toUIMessageStream(told([failed], new InvalidInputError("Empty."))))).toEqual([
      { type: "error", errorText: "Empty." },
    ]);
  });
});

const thread = { configurable: { thread_id: "t" } };

/** Reads chunks up to one of a type. */
async function readTo(reader: ReadableStreamDefaultReader<TurnChunk>, type: TurnChunk["type"]): Promise<void> {
  for (let read = await reader.read(); read.value?.type !== type; read = await reader.read())
    if (read.done) throw new Error(`There is no ${type}.`);
}

describe("a reader of the stream", () => {
  it("stops the turn when it leaves, also while a tool works and nothing comes", async () => {
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const wait = tool(
      (_input, { signal }: { signal?: AbortSignal }) => {
        begin();
        return new Promise((resolve) => signal?.addEventListener("abort", resolve));
      },
      { name: "wait", description: "Waits.", schema: z.object({}) },
    );
    const model = scriptedModel([{ tool_calls: [{ name: "wait", args: {} }] }, "So."]);
    const agent = createAgent({ model, tools: [wait], checkpointer: new MemorySaver() });
    const reader = toUIMessageStream(streamTurn(agent, { messages: "Wait." }, thread)).getReader();
    await readTo(reader, "tool-input-available");
    const next = reader.read();
    await begun;
    await reader.cancel();
    expect(await next).toMatchObject({ done: true });
    // The turn has ended when the stream is cancelled, so the thread is free.
    const { answer } = await agent.invoke({ messages: "There?" }, thread);
    expect(answer).toBe("So.");
  });

  it("starts no turn when it leaves before it reads", async () => {
    const model = scriptedModel(["So."]);
    const agent = createAgent({ model, checkpointer: new MemorySaver() });
    await toUIMessageStream(streamTurn(agent, { messages: "Hi" }, thread)).cancel();
    expect((await agent.getState(thread)).createdAt).toBeUndefined();
  });

  it("that is slow loses nothing, and no events are read ahead", async () => {
    let made = 0;
    async function* many(): AsyncGenerator<TurnEvent> {
      for (; made < 100; made += 1) yield event(delta(`${made} `));
    }
    const reader = toUIMessageStream(many()).getReader();
    await reader.read();
    await new Promise((resolve) => setImmediate(resolve));
    expect(made).toBeLessThan(2);
    let text = "";
    for (let read = await reader.read(); !read.done; read = await reader.read())
      if (read.value.type === "text-delta") text += read.value.delta;
    expect(text).toBe(Array.from({ length: 100 }, (_none, n) => `${n} `).join(""));
  });

  it("that joins a turn has the message from its beginning, and does not stop the turn when it leaves", async () => {
    const model = scriptedModel(["So."]);
    const agent = createAgent({ model, checkpointer: new MemorySaver() });
    const first = toUIMessageStream(streamTurn(agent, { messages: "Hi" }, thread)).getReader();
    await first.read();
    const joined = toUIMessageStream(streamTurn(agent, null, thread)).getReader();
    expect((await joined.read()).value).toEqual({ type: "start" });
    await joined.cancel();
    await readTo(first, "finish");
  });
});
