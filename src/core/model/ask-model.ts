import { isDeepStrictEqual } from "node:util";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { AIMessage, AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { dataWithoutSecrets, SecretFilter, withoutSecrets } from "../../base/secrets/without-secrets.js";
import { untilAborted } from "../../base/until-aborted.js";
import { hasOwnStream } from "../../langgraph/chat-models.js";
import type { WrittenCall } from "../parts/answers.js";
import type { CutReply, Models } from "../parts/models.js";
import type { Purpose } from "../run/events.js";
import { usageOf } from "../run/run.js";
import { givenMessageSchema, malformedCall, type Reply, unsigned } from "../state/decision.js";
import { endingOf } from "../state/finish-reason.js";
import { quietCall } from "../state/quiet-call.js";
import { piecesIn } from "./call-pieces.js";
import { roomIn } from "./context-limit.js";
import { firstToAnswer, isTooLong } from "./failures.js";
import { FirstCall } from "./first-call.js";
import { type AskedModel, callModel, type ModelCall } from "./model-call.js";
import { emitPrompt, emitReply } from "./prompt-events.js";
import { ProviderEvents } from "./provider-events.js";
import { ReasoningEvents } from "./reasoning-events.js";
import type { Try } from "./timeouts.js";
import { estimatePrompt, tokensOf, usageIn } from "./tokens.js";

/**
 * The tag that hides the tokens of a call from LangGraph's `messages` stream. Thoughts and rephrased questions are not
 * the answer.
 */
const hidden = "nostream";

function hiddenConfig(config: RunnableConfig, stop: readonly string[] = []): RunnableConfig & { stop?: string[] } {
  return { ...config, tags: [...(config.tags ?? []), hidden], ...(stop.length > 0 && { stop: [...stop] }) };
}

/** Writes a prompt. `fits` tells whether messages fit into the model. */
export type WritePrompt = (fits: (messages: BaseMessage[]) => boolean) => BaseMessage[];

/**
 * Asks for a plain text, such as a rephrased question or a summary. Nothing of it is streamed. The text is empty if the
 * model refuses. If its server refuses the prompt as too long, the prompt is written again, once.
 */
export async function askForText(
  purpose: Exclude<Purpose, "reply">,
  models: Pick<Models, "load" | "limits">,
  write: WritePrompt,
  config: RunnableConfig,
): Promise<string> {
  return firstToAnswer(purpose, await models.load(), config, async (model) => {
    const { findWindow, fits, learn } = roomIn(model, models.limits.contextTokens);
    const ask = async (messages: BaseMessage[]) => {
      emitPrompt(config, { purpose, model: model.name, messages, stop: [], tools: [] });
      return callModel(purpose, model.model, { model, limits: models.limits, config }, async (tried, usage, note) => {
        note({ messages });
        const message = await invoke(model.model, messages, hiddenConfig(config), tried);
        const { text, finishReason } = uncut(model.server.readReply([message], false));
        const asked = { model: model.model, messages, written: text, isWhole: true };
        usage.addModelCall(model.name, tokensOf(usageIn(message), asked));
        usageOf(config).quietCalls.push(quietCall(purpose, model.name, messages, text));
        emitReply(config, { purpose, model: model.name, text, toolCalls: [] });
        note({ reply: { text, toolCalls: [], finishReason } });
        return endingOf(finishReason) === "refused" ? "" : text;
      });
    };
    await findWindow(write(() => true));
    const messages = write(fits);
    try {
      return await ask(messages);
    } catch (error) {
      if (!isTooLong(error)) throw error;
      learn(error, messages);
      const shorter = write(fits);
      if (estimatePrompt(shorter) === estimatePrompt(messages)) throw error;
      return ask(shorter);
    }
  });
}

/** Asks a model that answers in one piece. A call that ignores its timeout is left to itself. */
async function invoke(
  model: Pick<BaseChatModel, "invoke">,
  messages: BaseMessage[],
  options: RunnableConfig,
  { signal }: Try,
): Promise<AIMessageChunk> {
  return untilAborted(model.invoke(messages, { ...options, signal }), signal);
}

export interface ReplyOptions {
  /** The model with its tools and settings. Default: the model of the call. */
  readonly asked: AskedModel;
  /** The definitions of the tools as JSON, if the model gets them natively. */
  readonly tools?: string | undefined;
  /** Returns the name of the tool that the model calls by a name. Default: the same. */
  readonly ownName?: (sent: string) => string;
  /** The texts at which a reply is cut. The model is stopped there while it still writes. */
  readonly stop: readonly string[];
  /** Tells whether the model takes `stop` itself. */
  readonly sendStop: boolean;
  /**
   * Begins an attempt. Returns a function that is called with the whole text so far, and the first call so far, each time
   * more of the reply arrives. The text never goes beyond a stop text. The function returns the place at which to cut the
   * reply off, if the rest is of no use.
   */
  readonly begin: () => (text: string, call?: WrittenCall) => number | undefined;
  /** Returns the id of the reply, which each try has anew. */
  readonly replyId: () => string;
}

/**
 * Asks a model for the reply of a step. The reply is streamed if the model can stream. A model that ignores its stop texts is
 * then cut off at once, and nobody pays for an invented observation.
 */
export function askForReply(messages: BaseMessage[], options: ReplyOptions, call: ModelCall): Promise<Reply> {
  return callModel("reply", options.asked, call, async (tried, usage, note) => {
    note({ messages });
    const spend: Spend = (reported, written, isWhole) => {
      const asked = { model: call.model.model, messages, tools: options.tools, written, isWhole };
      usage.addModelCall(call.model.name, tokensOf(reported, asked));
    };
    const reasoning = new ReasoningEvents(call.config);
    const provider = new ProviderEvents(call.config);
    try {
      const read = await readReply(messages, options, call, { tried, spend, reasoning, provider });
      const called = withOwnNames(read, options.ownName);
      const reply = provider.steps.length > 0 ? { ...called, byProvider: provider.steps } : called;
      note({ reply, reasoning: reasoning.end() });
      return reply;
    } catch (error) {
      // A text that the server took for a tool call and could not read is a reply, too.
      const failed = call.model.server.failedCall(error);
      if (failed === undefined) throw error;
      reasoning.end();
      spend(undefined, failed.text, true);
      const text = withoutSecrets(failed.text.slice(0, cutIndex(failed.text, options.stop)));
      const invalidToolCalls = failed.words === "" ? [] : [{ error: failed.words }];
      return { text, toolCalls: [], invalidToolCalls, finishReason: malformedCall };
    }
  });
}

/** Returns a reply whose calls have the names of the tools, and not those that were sent. Its message stays as it was given. */
function withOwnNames(reply: Reply, ownName = (sent: string) => sent): Reply {
  const toolCalls = reply.toolCalls.map((call) => ({ ...call, name: ownName(call.name) }));
  const invalidToolCalls = reply.invalidToolCalls.map((call) => ({
    ...call,
    ...(call.name && { name: ownName(call.name) }),
  }));
  return { ...reply, toolCalls, invalidToolCalls };
}

/** Counts the cost of a try: the report of the provider, the text that came, and whether the reply came to its end. */
type Spend = (reported: unknown, written: string, isWhole: boolean) => void;

/** One try of a reply, and the functions that are called with the parts that arrive. */
interface ReplyTry {
  readonly tried: Try;
  readonly spend: Spend;
  readonly reasoning: ReasoningEvents;
  readonly provider: ProviderEvents;
}

/** The most characters of a reply. A model that never stops is cut off there, like at a token limit. */
const mostCharacters = 1_000_000;

/** Reads a reply in pieces, or in one piece if the model cannot stream. */
async function readReply(
  messages: BaseMessage[],
  { asked, stop, sendStop, begin, replyId }: ReplyOptions,
  { config, model: { server } }: ModelCall,
  { tried, spend, reasoning, provider }: ReplyTry,
): Promise<Reply> {
  const onText = begin();
  const filter = new SecretFilter();
  const call = new FirstCall();
  const came: AIMessageChunk[] = [];
  let message: AIMessageChunk | undefined;
  const replyWith = (text: string, hasEnd: boolean): Reply => {
    const reply = uncut(server.readReply(came, hasEnd));
    return { ...reply, text, ...(message && givenMessage(text, message)) };
  };
  let text = "";
  let characters = 0;
  const isStreamed = hasOwnStream(asked);
  let isWhole = !isStreamed;
  if (isStreamed) tried.awaitFirstToken();
  try {
    const options = { ...hiddenConfig(config, sendStop ? stop : []), signal: tried.signal };
    const chunks = isStreamed ? await asked.stream(messages, options) : [await invoke(asked, messages, options, tried)];
    for await (const chunk of chunks) {
      came.push(chunk);
      message = message === undefined ? chunk : message.concat(chunk);
      if (text !== "" || saysSomething(chunk)) tried.heard();
      reasoning.push(chunk);
      provider.push(chunk, message, replyId());
      const unsearched = text.length;
      text += filter.push(chunk.text);
      call.push(chunk);
      characters += chunk.text.length + callsIn(chunk).length;
      const stopped = cutIndex(text, stop, unsearched);
      const end = onText(text.slice(0, stopped), call) ?? stopped;
      if (end < text.length) {
        tried.cutOff();
        return replyWith(text.slice(0, end), false);
      }
      if (characters + reasoning.text.length > mostCharacters) {
        tried.cutOff();
        return { ...replyWith(text, false), finishReason: "length" };
      }
    }
    if (message !== undefined) provider.push(message, message, replyId());
    text += filter.end();
    const said = text.slice(0, cutIndex(text, stop));
    const reply = replyWith(said.slice(0, onText(said)), isStreamed);
    isWhole = true;
    return reply;
  } finally {
    if (message !== undefined) spend(usageIn(message), reasoning.text + text + callsIn(message), isWhole);
  }
}

/** Tells whether a chunk has something of the reply. The first chunk of many servers only opens the stream. */
function saysSomething({ content, tool_call_chunks = [], additional_kwargs }: AIMessageChunk): boolean {
  return content.length > 0 || tool_call_chunks.length > 0 || Object.keys(additional_kwargs).length > 0;
}

function callsIn(chunk: AIMessageChunk): string {
  return piecesIn(chunk)
    .map(({ name, args }) => name + args)
    .join("");
}

/**
 * Returns the end of a reply: the index of the first stop text, or the length of the text. The part before `unsearched`
 * has no stop text.
 */
export function cutIndex(text: string, stop: readonly string[], unsearched = 0): number {
  const found = stop
    .map((word) => text.indexOf(word, Math.max(0, unsearched - word.length)))
    .filter((index) => index >= 0);
  return Math.min(text.length, ...found);
}

/** Returns a reply that came to its end. */
function uncut(read: Reply | CutReply): Reply {
  if ("cut" in read) throw read.cut;
  return read;
}

/** What providers repeat of a request. */
const echoes = new Set(["tools", "instructions", "logprobs"]);

/**
 * Returns the message of a reply as the provider gave it. If its text was cut, or a secret was taken out, only what the provider said
 * about the reply is left: its blocks are signed as they were.
 */
function givenMessage(text: string, message: AIMessage | AIMessageChunk): Pick<Reply, "message" | "changed"> {
  const { content, additional_kwargs, response_metadata, usage_metadata } = message;
  const metadata = Object.fromEntries(Object.entries(response_metadata).filter(([key]) => !echoes.has(key)));
  const blocks = typeof content === "string" ? undefined : content;
  const fields = { content: blocks, additional_kwargs, response_metadata: metadata, usage_metadata };
  const given = givenMessageSchema.catch({}).parse(JSON.parse(JSON.stringify(fields)));
  if (message.text === text && isDeepStrictEqual(dataWithoutSecrets(given), given)) return { message: given };
  return { message: dataWithoutSecrets(unsigned(given)), changed: true };
}
