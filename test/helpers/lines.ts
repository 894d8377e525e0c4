import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { ChatOpenAI } from "@langchain/openai";
import { type ChatReply, compatible } from "./providers/chat.js";
import type { ProviderRequest, ProviderServer } from "./providers/provider-server.js";
import { type ServedFailure, startProvider } from "./providers/provider-server.js";
import { type ResponsesReply, responses } from "./providers/responses.js";
import { type RecordedReply, RecordingModel } from "./recording-model.js";

/** A message as a model is sent it. */
export type Sent = Record<string, unknown>;

/** A line to a model: the model, and what it was sent. */
export interface Line extends AsyncDisposable {
  readonly model: BaseChatModel;
  /** The messages of each call, without the system messages at the beginning. */
  sent(): Sent[][];
  /** The messages of each call. */
  whole(): Sent[][];
}

/** The ways to a model: over HTTP in one piece, as a stream, or with the Responses API, and a model that only records. */
export type Way =
  | { readonly way: "whole" | "streamed"; readonly replies: readonly ChatReply[] }
  | { readonly way: "responses"; readonly replies: readonly ResponsesReply[] }
  | { readonly way: "recorded"; readonly replies: readonly Partial<RecordedReply>[] };

const failure: ServedFailure = { status: 500 };

/** Opens a line to a model. `failing` is the number of the call that fails, after which the replies go on. */
export async function openLine({ way, replies }: Way, failing?: number): Promise<Line> {
  const cut = failing ?? replies.length;
  if (way === "recorded") {
    const script = [
      ...replies.slice(0, cut),
      ...(failing === undefined ? [] : [new Error("The server had an error.")]),
    ];
    const model = new RecordingModel([...script, ...replies.slice(cut)]);
    return lineOf(model, () => model.sent);
  }
  const failures = failing === undefined ? [] : [failure];
  if (way === "responses") {
    const server = await startProvider(responses, [...replies.slice(0, cut), ...failures, ...replies.slice(cut)]);
    return lineOf(openAI(server, { useResponsesApi: true }), () => server.requests.map(itemsOf), server);
  }
  const server = await startProvider(compatible, [...replies.slice(0, cut), ...failures, ...replies.slice(cut)]);
  return lineOf(openAI(server, { disableStreaming: way === "whole" }), () => server.requests.map(messagesOf), server);
}

function openAI({ url }: ProviderServer, options: ConstructorParameters<typeof ChatOpenAI>[0]): ChatOpenAI {
  return new ChatOpenAI({
    model: "gpt-4o",
    apiKey: "key",
    maxRetries: 0,
    configuration: { baseURL: `${url}/v1` },
    ...Object(options),
  });
}

function lineOf(model: BaseChatModel, requests: () => Sent[][], server?: AsyncDisposable): Line {
  return {
    model,
    sent: () => requests().map((messages) => messages.slice(instructionsIn(messages))),
    whole: requests,
    async [Symbol.asyncDispose]() {
      await server?.[Symbol.asyncDispose]();
    },
  };
}

/** The number of system messages at the beginning. */
function instructionsIn(messages: readonly Sent[]): number {
  const first = messages.findIndex(({ role, type }) => !["system", "developer"].includes(String(role ?? type)));
  return first === -1 ? messages.length : first;
}

const messagesOf = ({ messages }: ProviderRequest): Sent[] => recordsOf(messages);
const itemsOf = ({ input }: ProviderRequest): Sent[] => recordsOf(input);

function recordsOf(value: unknown): Sent[] {
  return Array.isArray(value) ? value.map((one) => ({ ...Object(one) })) : [];
}
