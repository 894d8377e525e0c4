import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent, streamTurn, type TurnEvent } from "glassloop";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { claude, gptOfResponses, load, look } from "./models.js";
import { anthropic } from "./providers/anthropic.js";
import { groq, mistral, openai } from "./providers/chat.js";
import { gemini } from "./providers/gemini.js";
import { ollama } from "./providers/ollama.js";
import { type Altered, type Provider, sent, startProvider } from "./providers/provider-server.js";
import { called, responses, spoken } from "./providers/responses.js";

/** A provider whose streams break, and how it writes them. */
interface Broken {
  readonly name: string;
  readonly provider: Provider<never>;
  model(url: string, streaming: boolean): BaseChatModel | Promise<BaseChatModel>;
  said(text: string): object;
  call(args: Readonly<Record<string, unknown>>, name?: string, id?: string): object;
  /** What is in the first piece that belongs to the end of a reply. */
  readonly end: RegExp;
  /** The arguments of a call come as text. Other providers send an object in one piece. */
  readonly hasText?: true;
  /** What makes the finish reason of a stream an unknown word. */
  readonly finish: readonly [RegExp, string];
  /** A result may be a list of blocks. */
  readonly takesBlocks?: true;
  /** An error inside a stream. */
  readonly error: string;
  /** One in a field that the provider does not document. Servers between us and the provider send such. */
  readonly oddError?: string;
}

const overloaded = "The engine is overloaded.";
const oddError = sent({ error_message: overloaded });
const chat = {
  oddError,
  said: (content: string) => ({ content }),
  call: (args: object, name = "pay", id = "abcdefgh9") => ({
    content: "",
    calls: [{ id, name, args: JSON.stringify(args) }],
  }),
  end: /"finish_reason":"|\[DONE\]/,
  hasText: true,
  finish: [/"finish_reason":"\w+"/, '"finish_reason":"weird"'],
  error: sent({ error: { message: overloaded, type: "server_error", code: 503 } }),
} as const;

const providers: readonly Broken[] = [
  { ...chat, name: "OpenAI, chat completions", provider: openai, model: load("openai:gpt-4o-mini", "/v1") },
  {
    name: "OpenAI, Responses API",
    provider: responses,
    model: gptOfResponses,
    said: (text) => ({ id: "resp_1", output: [spoken("1", text)] }),
    call: (args, name = "pay", id = "9") => ({
      id: `resp_${id}`,
      output: [{ ...called(id, name, JSON.stringify(args)), id: undefined }],
    }),
    end: /event: response\.(?:output_item\.done|completed)/,
    hasText: true,
    finish: [
      /response\.completed(.*)response\.completed(.*)"incomplete_details":null/s,
      'response.incomplete$1response.incomplete$2"incomplete_details":{"reason":"weird"}',
    ],
    oddError,
    error: sent({ type: "error", sequence_number: 9, code: "server_error", message: overloaded, param: null }, "error"),
  },
  {
    name: "Anthropic",
    takesBlocks: true,
    provider: anthropic,
    model: claude,
    said: (text) => ({ content: [{ type: "text", text }] }),
    call: (input, name = "pay", id = "9") => ({ content: [{ type: "tool_use", id: `toolu_${id}`, name, input }] }),
    end: /event: content_block_stop/,
    hasText: true,
    finish: [/"stop_reason":"\w+"/, '"stop_reason":"weird"'],
    error: sent({ type: "error", error: { type: "overloaded_error", message: overloaded } }, "error"),
  },
  {
    name: "Gemini",
    provider: gemini,
    model: load("google-genai:gemini-2.5-flash"),
    said: (text) => ({ parts: [{ text }] }),
    call: (args, name = "pay") => ({ parts: [{ functionCall: { name, args }, thoughtSignature: "SIG" }] }),
    end: /"finishReason"/,
    finish: [/"finishReason":"\w+"/, '"finishReason":"WEIRD"'],
    oddError,
    error: sent({ error: { code: 503, status: "UNAVAILABLE", message: overloaded } }),
  },
  { ...chat, name: "Mistral", takesBlocks: true, provider: mistral, model: load("mistralai:mistral-small-latest") },
  { ...chat, name: "Groq", provider: groq, model: load("groq:llama-3.3-70b-versatile") },
  {
    name: "Ollama",
    provider: ollama,
    model: load("ollama:llama3.2"),
    said: (content) => ({ content }),
    call: (args, name = "pay") => ({ content: "", tool_calls: [{ function: { name, arguments: args } }] }),
    end: /"done":true/,
    finish: [/"done_reason":"\w+"/, '"done_reason":"weird"'],
    error: `${JSON.stringify({ error: overloaded })}\n`,
  },
];

const whole = { to: "Ann", amount: 12 };
const upTo = (end: RegExp) => (pieces: readonly string[]) =>
  pieces.slice(
    0,
    pieces.findIndex((piece) => end.test(piece)),
  );
const changed =
  ([from, to]: readonly [RegExp, string]) =>
  (pieces: readonly string[]) =>
    pieces.map((piece) => piece.replace(from, to));

/** Tools as MCP servers have them. */
const schemas: Readonly<Record<string, object>> = {
  "pay.out": { type: "object", properties: {} },
  [`${"long".repeat(17)}_pay`]: { type: "object" },
  list: { type: "object", properties: { ids: { type: "array" }, where: { type: "object" } } },
  either: {
    anyOf: [
      { type: "object", properties: { a: { type: "string" } } },
      { type: "object", properties: { b: {} } },
    ],
  },
  untyped: { properties: { a: { type: "string" } } },
};

/** Holds a turn with an agent that can pay. Returns what came of it. */
async function held(
  one: Broken,
  replies: readonly (object | Altered<object>)[],
  { maxRetries = 0, effects = true } = {},
) {
  const paid: unknown[] = [];
  const pay = tool(
    async (input) => {
      paid.push(input);
      return "paid";
    },
    {
      name: "pay",
      description: "Pays.",
      schema: z.object({ to: z.string(), amount: z.number() }),
      metadata: { effects },
    },
  );
  await using server = await startProvider<object>(one.provider as Provider<object>, replies);
  const model = await one.model(server.url, true);
  const agent = createAgent({ model, tools: [pay], approve: "never", modelCalls: { maxRetries } });
  const events: TurnEvent[] = [];
  let error: unknown;
  try {
    for await (const event of streamTurn(agent, { messages: "Pay Ann." })) events.push(event);
  } catch (thrown) {
    error = thrown;
  }
  const types = events.map(({ type }) => type);
  const answer = events.flatMap((event) => (event.type === "answer" ? [event.text] : [])).at(-1);
  return { paid, events, types, answer, error: Object(error), requests: server.requests.length };
}

describe.each(providers)("a stream of $name", (one) => {
  const { said, call, end, hasText, finish, error, oddError } = one;
  const alter = (reply: object, change: (pieces: readonly string[]) => readonly string[]) => ({ reply, alter: change });

  it("that breaks off is asked for again, and its half of a reply is none", async () => {
    const broken = await held(one, [alter(said("Half of it."), upTo(end)), said("All of it.")], { maxRetries: 1 });
    expect(broken).toMatchObject({ answer: "All of it.", paid: [], requests: 2 });
    expect(broken.types).toEqual(expect.arrayContaining(["retry"]));
    const cut = await held(one, [alter(call(whole), upTo(end))]);
    expect(cut).toMatchObject({ paid: [], error: { name: "ModelError", kind: "interrupted" } });
  });

  it("that ends with half of the arguments of a call is corrected, or cannot be", async () => {
    const half = hasText
      ? changed([/(?<=\\"amount\\":1)2\}/g, ""])
      : ([first = ""]: readonly string[]) => [first.slice(0, first.indexOf("12}") + 1)];
    const {
      paid,
      error: failure,
      answer,
      types,
    } = await held(one, [alter(call(whole), half), call(whole), said("Done.")]);
    if (hasText) expect({ paid, answer, failure }).toEqual({ paid: [whole], answer: "Done.", failure: {} });
    else expect({ paid, kind: failure.kind }).toEqual({ paid: [], kind: "interrupted" });
    expect(types.includes("correction")).toBe(hasText === true);
  });

  it("that ends with an unknown word is an answer; its call is asked for again, and with effects refused", async () => {
    const weird = (reply: object) => alter(reply, changed(finish));
    expect(await held(one, [weird(said("Five."))])).toMatchObject({ answer: "Five.", requests: 1 });
    const harmless = await held(one, [weird(call(whole)), weird(call(whole)), said("Done.")], { effects: false });
    expect(harmless).toMatchObject({ answer: "Done.", paid: [whole] });
    const payment = await held(one, [weird(call(whole)), weird(call(whole)), said("Not paid.")]);
    expect(payment).toMatchObject({ answer: "Not paid.", paid: [] });
  });

  it("with an error in it fails with the words and the kind of the error", async () => {
    for (const event of oddError === undefined ? [error] : [error, oddError]) {
      const failed = await held(one, [alter(said("Half of it."), (pieces) => [...upTo(end)(pieces), event])]);
      const message = expect.stringContaining(overloaded);
      expect(failed).toMatchObject({ paid: [], error: { name: "ModelError", kind: "server", message } });
    }
  });
});

describe.each(providers)("a request to $name", (one) => {
  it("has each tool in a form that is taken, and a call of it runs the tool", async () => {
    const ran: string[] = [];
    const tools = Object.entries(schemas).map(([name, schema]) =>
      tool(async () => String(ran.push(name)), { name, description: "Does it.", schema }),
    );
    await using server = await startProvider<object>(one.provider as Provider<object>, [one.said("Fine.")]);
    const made = createAgent({ model: await one.model(server.url, true), tools, modelCalls: { maxRetries: 0 } });
    expect((await made.invoke({ messages: "Go." })).answer).toBe("Fine.");
    expect(server.refusals).toEqual([]);
    const sent = namesIn(server.requests[0]?.tools);
    expect(new Set(sent).size).toBe(tools.length);
    const calls = sent.map((name, index) => ({ ...one.call({}, name, `abcdefgh${index}`) }));
    await using other = await startProvider<object>(one.provider as Provider<object>, [...calls, one.said("Done.")]);
    const agent = createAgent({ model: await one.model(other.url, true), tools, modelCalls: { maxRetries: 0 } });
    const { answer, intermediateSteps } = await agent.invoke({ messages: "Go." });
    expect({ answer, ran, refusals: other.refusals }).toEqual({
      answer: "Done.",
      ran: Object.keys(schemas),
      refusals: [],
    });
    const named = intermediateSteps.flatMap(({ decision }) => (decision.kind === "action" ? decision.actions : []));
    expect(named.map((action) => action.tool)).toEqual(Object.keys(schemas));
  });

  it("has the ids of an imported conversation in a form that is taken, and each result once, as text", async () => {
    const ids = ["a b:c/d", "", "x".repeat(70), "same"];
    const step = (id: string, q: string) => [
      new AIMessage({ content: "", tool_calls: [{ id, name: "look", args: { q } }] }),
      new ToolMessage({ tool_call_id: id, name: "look", content: [{ type: "text", text: `5 for ${q}` }] }),
    ];
    const history = [...ids, "same"].flatMap((id, index) => step(id, `q${index}`));
    const messages = [new HumanMessage("How many?"), ...history, new AIMessage(" "), new HumanMessage("And now?")];
    await using server = await startProvider<object>(one.provider as Provider<object>, [one.said("Five.")]);
    const agent = createAgent({
      model: await one.model(server.url, true),
      tools: [look],
      modelCalls: { maxRetries: 0 },
    });
    expect((await agent.invoke({ messages })).answer).toBe("Five.");
    expect(server.refusals).toEqual([]);
    const sent = JSON.stringify(server.requests[0]);
    for (const n of [0, 1, 2, 3, 4]) expect(sent.split(`5 for q${n}`)).toHaveLength(2);
    expect(sent.includes('"type":"text","text":"5 for')).toBe(one.takesBlocks === true);
  });
});

/** The names of the tools in a request. */
function namesIn(tools: unknown): string[] {
  return (JSON.stringify(tools).match(/(?<="name":")[^"]*/g) ?? []).map(String);
}
