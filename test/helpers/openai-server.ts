import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { ChatOpenAI, type ChatOpenAIFields } from "@langchain/openai";
import { z } from "zod";
import type { ScriptedReply } from "../../src/testing/index.js";
import { startLocalServer } from "./local-server.js";
import { chatMessages, checkTools } from "./providers/chat.js";
import { Refusal } from "./providers/provider-server.js";

/** A reply of the server to one request. A string is short for `{ text }`, and a number for `{ status }`. */
export type ServerReply =
  | string
  | number
  | {
      text?: string;
      /** The reasoning, by the name of its field. */
      reasoning?: Readonly<Record<string, string>>;
      toolCalls?: readonly { name: string; args: Record<string, unknown> | string; id?: string }[];
      finishReason?: string;
      usage?: { prompt: number; completion: number; cached?: number; reasoning?: number; audio?: number };
      /** The time before the first byte, in milliseconds. */
      delayMs?: number;
      /** The time before each piece of a stream, in milliseconds. */
      pauseMs?: number;
      /** What the last piece of a stream waits for. */
      hold?: Promise<unknown>;
      /**
       * The number of pieces after which the socket is destroyed. Without streaming it is destroyed after the headers.
       */
      cutAfterPieces?: number;
      /** The number of pieces after which nothing more is sent. */
      stallAfterPieces?: number;
    }
  | { status: number; message?: string; code?: string; failedGeneration?: string; retryAfterSeconds?: number }
  | { hang: true }
  | { noChoices: true };

/** A request as it arrived. */
export interface ServerRequest {
  headers: IncomingHttpHeaders;
  body: z.infer<typeof requestSchema>;
  /** Resolves when the connection is closed. */
  closed: Promise<unknown>;
}

export interface OpenAIServer extends AsyncDisposable {
  /** The base URL to give to a client. It ends in `/v1`. */
  readonly url: string;
  readonly requests: readonly ServerRequest[];
  /** Returns the text of the last message of each request. */
  prompts(): string[];
  close(): Promise<void>;
}

const requestSchema = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
  stream: z.boolean().default(false),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  tools: z.array(z.unknown()).optional(),
});

type SpokenReply = Exclude<ServerReply, string | number | { status: number } | { hang: true } | { noChoices: true }>;

/**
 * Starts a real HTTP server on 127.0.0.1. It speaks POST /v1/chat/completions, with or without streaming, and answers
 * from a script. A request too many gets a 400 that says so, which no client repeats.
 *
 * @param script The replies, in order, or a function that makes one for each request.
 * @param options `applyStop`: cut replies at the request's stop sequences, as the real API does; true by default.
 *   `pages`: what it answers at other paths. `asked`: takes note of these requests.
 */
export async function startOpenAIServer(
  script: readonly ServerReply[] | ((request: ServerRequest, index: number) => ServerReply),
  {
    applyStop = true,
    pages = {},
    asked = [],
  }: { applyStop?: boolean; pages?: Readonly<Record<string, object>>; asked?: IncomingMessage[] } = {},
): Promise<OpenAIServer> {
  const requests: ServerRequest[] = [];
  const closing = new AbortController();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST" || request.url !== "/v1/chat/completions") {
      asked.push(request);
      const page = pages[request.url ?? ""];
      return page === undefined ? sendError(response, { status: 404 }) : void response.end(JSON.stringify(page));
    }
    const closed = once(response, "close");
    const received = { headers: request.headers, body: requestSchema.parse(JSON.parse(await text(request))), closed };
    numbers.set(received.body, requests.push(received));
    try {
      checkTools(received.body, chatMessages(received.body), { texts: true });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return sendError(response, { status: 400, message: error.message });
    }
    const index = requests.length - 1;
    const reply = typeof script === "function" ? script(received, index) : script[index];
    if (reply === undefined) {
      const message = `The test's script has ${script.length} replies, and this is request ${index + 1}.`;
      return sendError(response, { status: 400, message });
    }
    await perform(reply, received.body, response);
  }

  async function perform(reply: ServerReply, body: ServerRequest["body"], response: ServerResponse): Promise<void> {
    if (typeof reply === "number") return sendError(response, { status: reply });
    if (typeof reply === "string") return speak({ text: reply }, body, response);
    if ("status" in reply) return sendError(response, reply);
    if ("hang" in reply) return;
    if ("noChoices" in reply) return sendNoChoices(body, response);
    if (reply.delayMs !== undefined) await wait(reply.delayMs, undefined, { signal: closing.signal });
    await speak(reply, body, response);
  }

  async function speak(reply: SpokenReply, body: ServerRequest["body"], response: ServerResponse): Promise<void> {
    const shortened = { ...reply, text: applyStop ? cutAtStop(reply.text ?? "", body.stop) : (reply.text ?? "") };
    if (body.stream) await sendStream(shortened, body, response);
    else sendWhole(shortened, body, response);
  }

  // Node ends idle connections after 5 s. A busy machine takes longer between two requests.
  const server = await startLocalServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });

  async function close(): Promise<void> {
    closing.abort();
    await server[Symbol.asyncDispose]();
  }

  return {
    url: `${server.origin}/v1`,
    requests,
    prompts: () => requests.map(({ body }) => contentText(body.messages.at(-1)?.content)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Returns a model of a server, which makes each call once. */
export function modelAt(baseURL: string, fields: ChatOpenAIFields = {}): ChatOpenAI {
  return new ChatOpenAI({ model: "m", apiKey: "key", maxRetries: 0, configuration: { baseURL }, ...fields });
}

/** Returns what a server says for a reply of a scripted model. */
export function served(reply: ScriptedReply): ServerReply {
  if (typeof reply === "string") return { text: reply };
  if (reply instanceof Error || Array.isArray(reply.content)) throw new Error("Not a reply of a server.");
  return { text: String(reply.content ?? ""), toolCalls: reply.tool_calls ?? [] };
}

function contentText(content: unknown): string {
  return typeof content === "string" ? content : JSON.stringify(content ?? null);
}

function cutAtStop(reply: string, stop: string | string[] | null | undefined): string {
  const ends = [stop ?? []].flat().map((sequence) => reply.indexOf(sequence));
  return reply.slice(0, Math.min(reply.length, ...ends.filter((end) => end >= 0)));
}

/** The number of each request at its server. Its response has an id of its own with it, as all its pieces have. */
const numbers = new WeakMap<ServerRequest["body"], number>();

function envelope(body: ServerRequest["body"], object: string): Record<string, unknown> {
  return { id: `chatcmpl-${numbers.get(body)}`, object, created: 1_700_000_000, model: body.model };
}

function usageOf({ usage = { prompt: 10, completion: 5 } }: SpokenReply): Record<string, unknown> {
  const { prompt, completion, cached, reasoning, audio } = usage;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: audio },
    completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: audio },
  };
}

function toolCallsOf({ toolCalls = [] }: SpokenReply): Record<string, unknown>[] {
  return toolCalls.map(({ name, args, id }, index) => ({
    index,
    id: id ?? `call_${index + 1}`,
    type: "function",
    function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
  }));
}

function finishReasonOf({ finishReason, toolCalls = [] }: SpokenReply): string {
  return finishReason ?? (toolCalls.length > 0 ? "tool_calls" : "stop");
}

function sendWhole(reply: SpokenReply, body: ServerRequest["body"], response: ServerResponse): void {
  const calls = toolCallsOf(reply).map(({ index: _, ...call }) => call);
  const message = {
    role: "assistant",
    content: reply.text ?? null,
    ...reply.reasoning,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  const choices = [{ index: 0, message, finish_reason: finishReasonOf(reply) }];
  const json = JSON.stringify({ ...envelope(body, "chat.completion"), choices, usage: usageOf(reply) });
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(json) });
  if (reply.cutAfterPieces === undefined) response.end(json);
  else response.write(json.slice(0, json.length / 2), () => response.destroy());
}

function piecesOf(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}

async function sendStream(reply: SpokenReply, body: ServerRequest["body"], response: ServerResponse): Promise<void> {
  const pieces = piecesOf(reply.text ?? "");
  const reasoning = Object.entries(reply.reasoning ?? {});
  const calls = toolCallsOf(reply);
  const deltas: Record<string, unknown>[] = [
    { role: "assistant", content: "" },
    ...reasoning.flatMap(([field, text]) => piecesOf(text).map((piece) => ({ [field]: piece }))),
    ...pieces.map((content) => ({ content })),
    ...(calls.length > 0 ? [{ tool_calls: calls }] : []),
  ];
  const chunk = (delta: Record<string, unknown>, finish_reason: string | null = null) =>
    event({ ...envelope(body, "chat.completion.chunk"), choices: [{ index: 0, delta, finish_reason }] });

  response.writeHead(200, { "content-type": "text/event-stream" });
  const last = reply.cutAfterPieces ?? reply.stallAfterPieces;
  if (last !== undefined) {
    const sent = deltas.slice(0, last + 1).map((delta) => chunk(delta));
    response.write(sent.join(""), () => reply.cutAfterPieces !== undefined && response.destroy());
    return;
  }
  for (const delta of deltas) {
    if (reply.pauseMs !== undefined) await wait(reply.pauseMs);
    if (delta === deltas.at(-1)) await reply.hold;
    response.write(chunk(delta));
  }
  response.write(chunk({}, finishReasonOf(reply)));
  if (body.stream_options?.include_usage) {
    response.write(event({ ...envelope(body, "chat.completion.chunk"), choices: [], usage: usageOf(reply) }));
  }
  response.end("data: [DONE]\n\n");
}

function sendNoChoices(body: ServerRequest["body"], response: ServerResponse): void {
  if (body.stream) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`${event({ ...envelope(body, "chat.completion.chunk"), choices: [] })}data: [DONE]\n\n`);
  } else {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...envelope(body, "chat.completion"), choices: [] }));
  }
}

function event(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

const messages: Record<number, string> = {
  400: "The request was refused.",
  401: "Incorrect API key provided.",
  404: "The model does not exist or you do not have access to it.",
  429: "Rate limit reached for requests.",
  500: "The server had an error while processing your request.",
  503: "The engine is currently overloaded.",
};

function sendError(
  response: ServerResponse,
  { status, message, code, failedGeneration, retryAfterSeconds }: Extract<ServerReply, { status: number }>,
): void {
  const retryAfter = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  response.writeHead(status, { "content-type": "application/json", ...retryAfter });
  const error = { message: message ?? messages[status], type: "error", param: null, code: code ?? null };
  response.end(JSON.stringify({ error: { ...error, failed_generation: failedGeneration } }));
}
