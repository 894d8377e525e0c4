import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { createAgent, type ModelError } from "glassloop";
import { describe, expect, it } from "vitest";
import { claude, gptOfResponses, load, look } from "./models.js";
import { anthropic } from "./providers/anthropic.js";
import { groq, mistral, openai, textual } from "./providers/chat.js";
import { gemini } from "./providers/gemini.js";
import { makeOddTools, oddHistories, oddTools } from "./providers/odd-conversations.js";
import { ollama } from "./providers/ollama.js";
import { type Provider, startProvider } from "./providers/provider-server.js";
import { called, reasoning, responses, spoken } from "./providers/responses.js";

/** A provider, with a reply that calls the odd tools by the names under which they were sent, and one with an answer. */
interface Row {
  readonly name: string;
  readonly provider: Provider<never>;
  readonly model: (url: string) => BaseChatModel | Promise<BaseChatModel>;
  readonly calls: (calls: readonly { readonly name: string; readonly args: object }[]) => object;
  readonly answer: object;
  /** How the name `calendar.read` is sent. */
  readonly sent: RegExp;
}

const chat = (ids = "call_") => ({
  calls: (calls: readonly { readonly name: string; readonly args: object }[]) => ({
    calls: calls.map(({ name, args }, n) => ({ id: `${ids}${n + 10}`, name, args: JSON.stringify(args) })),
  }),
  answer: { content: "Fine." },
  sent: /^calendar_read_\w{12}$/,
});

const rows: readonly Row[] = [
  { name: "OpenAI", provider: openai, model: load("openai:gpt-4o-mini", "/v1"), ...chat() },
  { name: "Groq", provider: groq, model: load("groq:openai/gpt-oss-120b"), ...chat() },
  { name: "a server that knows only texts", provider: textual, model: load("openai:deepseek-chat", "/v1"), ...chat() },
  { name: "Mistral", provider: mistral, model: load("mistralai:mistral-small-latest"), ...chat("abcdefg") },
  {
    name: "the Responses API",
    provider: responses,
    model: gptOfResponses,
    calls: (calls) => ({
      id: "resp_1",
      output: [reasoning("1"), ...calls.map(({ name, args }, n) => called(`${n}`, name, JSON.stringify(args)))],
    }),
    answer: { id: "resp_2", output: [spoken("9", "Fine.")] },
    sent: /^calendar_read_\w{12}$/,
  },
  {
    name: "Anthropic",
    provider: anthropic,
    model: (url) => claude(url, false),
    calls: (calls) => ({
      content: calls.map(({ name, args }, n) => ({ type: "tool_use", id: `toolu_${n}`, name, input: args })),
    }),
    answer: { content: [{ type: "text", text: "Fine." }] },
    sent: /^calendar_read_\w{12}$/,
  },
  {
    name: "Gemini",
    provider: gemini,
    model: load("google-genai:gemini-3-pro-preview"),
    calls: (calls) => ({
      parts: calls.map(({ name, args }) => ({ functionCall: { name, args }, thoughtSignature: "SIG" })),
    }),
    answer: { parts: [{ text: "Fine." }] },
    sent: /^calendar\.read$/,
  },
  {
    name: "Ollama",
    provider: ollama,
    model: load("ollama:qwen3"),
    calls: (calls) => ({
      content: "",
      tool_calls: calls.map(({ name, args }) => ({ function: { name, arguments: args } })),
    }),
    answer: { content: "Fine." },
    sent: /^calendar\.read$/,
  },
];

/** The names of tools in a request, wherever its provider has them. */
const namesIn = (body: object) =>
  [...JSON.stringify(Object(body).tools).matchAll(/"name":"((?:[^"\\]|\\.)*)","(?:desc|input|param)/g)].map(
    ([, name = ""]) => name,
  );

describe.each(rows)("$name", ({ provider, model, calls, answer, sent }) => {
  it("takes tools with odd names and schemas, which are called under their own names", async () => {
    let replies = [answer];
    const made: unknown[] = [];
    await using first = await startProvider(provider, replies as never[]);
    const tools = makeOddTools((name, input) => made.push([name, input]));
    await createAgent({ model: await model(first.url), tools }).invoke({ messages: "Go." });
    const names = namesIn(first.requests[0] ?? {});
    expect(first.refusals).toEqual([]);
    expect(names[0]).toMatch(sent);
    replies = [calls(oddTools.map(([, , args], n) => ({ name: names[n] ?? "", args }))), answer, answer];
    await using second = await startProvider(provider, replies as never[]);
    const agent = createAgent({ model: await model(second.url), tools });
    const state = await agent.invoke({ messages: "Go." });
    expect(state.answer).toBe("Fine.");
    expect(made).toEqual(oddTools.map(([name, , input]) => [name, input]));
    await agent.invoke({ messages: [...state.messages, { role: "user", content: "And?" }] });
    expect(second.refusals).toEqual([]);
  });

  it.each(Object.entries(oddHistories))("goes on with %s", async (_what, given) => {
    await using server = await startProvider(provider, [answer] as never[]);
    const agent = createAgent({ model: await model(server.url), tools: [look], rephrase: false });
    const state = await agent.invoke({ messages: [...given] }).catch((error: ModelError) => error.message);
    expect(server.refusals).toEqual([]);
    expect(state).toMatchObject({ answer: "Fine." });
  });
});
