import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { tool } from "@langchain/core/tools";
import { createAgent } from "glassloop";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { claude, gptOfResponses, load } from "./models.js";
import { anthropic } from "./providers/anthropic.js";
import { groq, mistral, openai } from "./providers/chat.js";
import { gemini } from "./providers/gemini.js";
import { ollama } from "./providers/ollama.js";
import { type Provider, startProvider } from "./providers/provider-server.js";
import { called, responses, spoken } from "./providers/responses.js";

interface StreamCase<Reply extends object> {
  readonly provider: Provider<Reply>;
  readonly model: (url: string, streaming: boolean) => BaseChatModel | Promise<BaseChatModel>;
  readonly says: (text: string) => Reply;
  readonly calls: Reply;
  /** The number of the last pieces of a stream, which say that it ended. */
  readonly end: number;
  /** An event with an error. Default: one in a field that its API does not have. */
  readonly error?: string;
  /** True for an API without words for an end. */
  readonly noWords?: true;
  /** True for an API whose arguments are objects. */
  readonly objects?: true;
}

const args = '{"to":"Ann","amount":120}';
const chat = {
  says: (content: string) => ({ content }),
  calls: { content: "", calls: [{ id: "abcdefgh1", name: "pay", args }] },
};
const anthropicCall = { type: "tool_use", id: "toolu_1", name: "pay", input: JSON.parse(args) };
const stream = <Reply extends object>({ provider, model, says, calls, ...of }: StreamCase<Reply>) => ({
  /** Asks an agent over a server whose first stream is changed. */
  async pay(reply: "answer" | "call", change: (pieces: string[]) => string[], maxRetries = 1) {
    let n = 0;
    const changed: Provider<Reply> = {
      ...provider,
      *stream(...request) {
        const pieces = [...provider.stream(...request)];
        yield* n++ === 0 ? change(pieces) : pieces;
      },
    };
    const replies = [reply === "call" ? calls : says("Half an answer"), says("Whole.")];
    await using server = await startProvider(changed, replies);
    const paid: unknown[] = [];
    const pay = tool((input) => `${paid.push(input)} paid`, {
      name: "pay",
      description: "Pays.",
      schema: z.object({ to: z.string(), amount: z.number().optional() }),
      metadata: { effects: true },
    });
    const agent = createAgent({ model: await model(server.url, true), tools: [pay], modelCalls: { maxRetries } });
    const ended = await agent.invoke({ messages: "Pay." }).catch((error: unknown) => error);
    return { paid, requests: server.requests.length, ended };
  },
  ...of,
});

const cases = {
  anthropic: stream({
    provider: anthropic,
    model: claude,
    says: (text: string) => ({ content: [{ type: "text", text }] }),
    calls: { content: [anthropicCall] },
    end: 2,
    error: `event: error\ndata: ${JSON.stringify({ type: "error", error: { type: "overloaded_error", message: "The words." } })}\n\n`,
  }),
  gemini: stream({
    provider: gemini,
    model: load("google-genai:gemini-2.5-flash"),
    says: (text: string) => ({ parts: [{ text }] }),
    calls: { parts: [{ functionCall: { name: "pay", args: JSON.parse(args) } }] },
    end: 1,
    objects: true,
  }),
  groq: stream({ provider: groq, model: load("groq:m"), ...chat, end: 3 }),
  mistral: stream({ provider: mistral, model: load("mistralai:m"), ...chat, end: 2 }),
  openai: stream({ provider: openai, model: load("openai:m", "/v1"), ...chat, end: 3 }),
  responses: stream({
    provider: responses,
    model: gptOfResponses,
    says: (text: string) => ({ id: "1", output: [spoken("1", text)] }),
    calls: { id: "1", output: [called("1", "pay", args)] },
    end: 1,
    noWords: true,
  }),
  ollama: stream({
    provider: ollama,
    model: load("ollama:m"),
    says: (content: string) => ({ content }),
    calls: { content: "", tool_calls: [{ function: { name: "pay", arguments: JSON.parse(args) } }] },
    end: 1,
    objects: true,
    error: '{"error":"The words."}\n',
  }),
};

const words = /"(stop_reason|finish_reason|finishReason|done_reason)":"\w+"/;

describe.each(Object.entries(cases))("a stream of %s", (_, { pay, end, error, noWords, objects }) => {
  it.each(["answer", "call"] as const)("without its end is asked for again: %s", async (reply) => {
    const { ended, paid, requests } = await pay(reply, (pieces) => pieces.slice(0, -end));
    expect(ended).toMatchObject({ answer: "Whole.", intermediateSteps: [] });
    expect([paid, requests]).toEqual([[], 2]);
  });

  it.skipIf(objects)("with half the arguments of a call, and its end, makes no call", async () => {
    const { paid, ended } = await pay("call", (pieces) => pieces.map((piece) => piece.replaceAll("120}", "1")));
    expect(paid).toEqual([]);
    expect(ended).toMatchObject({ answer: "Whole.", intermediateSteps: [{ decision: { kind: "unparseable" } }] });
  });

  it.skipIf(noWords)("with an unknown word at its end is an answer", async () => {
    const { ended, requests } = await pay("answer", (pieces) =>
      pieces.map((piece) => piece.replace(words, '"$1":"natural"')),
    );
    const reply = { finishReason: "natural" };
    expect(ended).toMatchObject({ answer: "Half an answer", stopReason: "answered", reply });
    expect(requests).toBe(1);
  });

  it("with an error is an error with the server's words", async () => {
    const event = error ?? `data: ${JSON.stringify({ error_message: "The words." })}\n\n`;
    const { ended } = await pay("answer", (pieces) => [...pieces.slice(0, 1), event], 0);
    expect(ended).toMatchObject({ name: "ModelError", message: expect.stringContaining("The words.") });
  });
});
