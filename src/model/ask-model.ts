import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { AIMessage, AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { malformedCall, type Reply } from "../turn/decision.js";
import type { EventDetails } from "../turn/events.js";
import { tell } from "../turn/teller.js";
import type { UsageCounts } from "../turn/usage.js";
import { finishReasonIn, refusal } from "./finish-reason.js";
import { failedCallOf, toModelError } from "./model-errors.js";
import { unbound } from "./models.js";
import { withReadableReplies } from "./readable-model.js";
import { followRetries } from "./retries.js";

/**
 * The tag that hides the tokens of a call from LangGraph's `messages` stream. Thoughts and rephrased questions are not
 * the answer.
 */
const quiet = "nostream";

function quietConfig(config: RunnableConfig): RunnableConfig {
  return { ...config, tags: [...(config.tags ?? []), quiet] };
}

/** The result of a model call: the reply as data, and its cost. */
export interface ModelAnswer {
  readonly reply: Reply;
  readonly spent: Partial<UsageCounts>;
}

type Purpose = EventDetails<"model-start">["purpose"];

/** Tells the start and the end of a model call, and each new try. */
async function asTold<Answer extends { readonly spent: Partial<UsageCounts> }>(
  purpose: Purpose,
  config: RunnableConfig,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  let spent: Partial<UsageCounts> = {};
  tell(config, { type: "model-start", purpose });
  try {
    const answer = await followRetries((retry) => tell(config, retry), ask);
    spent = answer.spent;
    return answer;
  } finally {
    tell(config, { type: "model-end", purpose, inputTokens: spent.inputTokens, outputTokens: spent.outputTokens });
  }
}

/**
 * Asks a model for a plain text, such as a rephrased question or a summary. Nothing of it is streamed. The text is empty
 * if the model refuses.
 */
export function askQuietly(
  purpose: Exclude<Purpose, "reply">,
  model: BaseChatModel,
  messages: BaseMessage[],
  config: RunnableConfig,
): Promise<{ text: string; spent: Partial<UsageCounts> }> {
  return asTold(purpose, config, async () => {
    try {
      const message = await withReadableReplies(model).invoke(messages, quietConfig(config));
      const refused = finishReasonIn(message.response_metadata) === refusal;
      return { text: refused ? "" : message.text, spent: spentBy(message) };
    } catch (error) {
      throw toModelError(error, { model, signal: config.signal });
    }
  });
}

export interface ReplyOptions {
  /** The texts at which a reply is cut. The model is stopped there while it still writes. */
  readonly stop: readonly string[];
  /** Tells whether the model takes `stop` itself. */
  readonly sendStop: boolean;
  /**
   * Called with the whole text so far, each time more of it arrives. The text never goes beyond a stop text. It returns
   * the place at which the reply ends, if what follows is of no use.
   */
  readonly onText: (text: string) => number | undefined;
}

/** A chat model, with or without bound tools and settings. */
type AskedModel = Pick<BaseChatModel, "invoke" | "stream">;

/**
 * Asks a model for the reply of a step. The reply is streamed if the model can stream. A model that ignores its stop
 * texts is then cut off at once. So nobody pays for an invented observation.
 */
export function askForReply(
  model: AskedModel,
  messages: BaseMessage[],
  options: ReplyOptions,
  config: RunnableConfig,
): Promise<ModelAnswer> {
  return asTold("reply", config, () => replyOrSlip(model, messages, options, config));
}

/** Asks for a reply. A text that the server took for a tool call and could not read is a reply, too. */
async function replyOrSlip(
  model: AskedModel,
  messages: BaseMessage[],
  options: ReplyOptions,
  config: RunnableConfig,
): Promise<ModelAnswer> {
  try {
    return await (canStream(model) ? streamReply : wholeReply)(model, messages, options, config);
  } catch (error) {
    const failed = failedCallOf(error);
    if (failed === undefined) throw toModelError(error, { model, signal: config.signal });
    const text = failed.text.slice(0, cutIndex(failed.text, options.stop));
    const invalidToolCalls = failed.words === "" ? [] : [{ error: failed.words }];
    return { reply: { text, toolCalls: [], invalidToolCalls, finishReason: malformedCall }, spent: { modelCalls: 1 } };
  }
}

/**
 * Tells whether a model has its own stream. The `stream` of another model only wraps its `invoke`, at some cost.
 * LangChain compares with its base class. The model may come from another copy of the package, so this function
 * compares the methods.
 */
function canStream(model: AskedModel): boolean {
  const asked = unbound(model);
  const owner = ownerOf(asked, "_streamResponseChunks");
  return owner === undefined || owner !== ownerOf(asked, "generatePrompt");
}

/** Returns the prototype that defines a method. */
function ownerOf(object: unknown, method: string): object | undefined {
  if (typeof object !== "object" || object === null) return undefined;
  return Object.hasOwn(object, method) ? object : ownerOf(Object.getPrototypeOf(object), method);
}

async function wholeReply(
  model: AskedModel,
  messages: BaseMessage[],
  { stop, sendStop, onText }: ReplyOptions,
  config: RunnableConfig,
): Promise<ModelAnswer> {
  const message = await model.invoke(messages, { ...quietConfig(config), ...stopOption(stop, sendStop) });
  // LangChain builds the text anew at each reading.
  const written = message.text;
  const said = written.slice(0, cutIndex(written, stop));
  const text = said.slice(0, onText(said));
  return { reply: toReply(text, message), spent: spentBy(message) };
}

async function streamReply(
  model: AskedModel,
  messages: BaseMessage[],
  { stop, sendStop, onText }: ReplyOptions,
  config: RunnableConfig,
): Promise<ModelAnswer> {
  const cutOff = new AbortController();
  const signal = config.signal ? AbortSignal.any([config.signal, cutOff.signal]) : cutOff.signal;
  const stream = await model.stream(messages, {
    ...quietConfig(config),
    signal,
    ...stopOption(stop, sendStop),
  });
  let message: AIMessageChunk | undefined;
  let text = "";
  for await (const chunk of stream) {
    message = message === undefined ? chunk : message.concat(chunk);
    const unsearched = text.length;
    text += chunk.text;
    const stopped = cutIndex(text, stop, unsearched);
    const end = onText(text.slice(0, stopped)) ?? stopped;
    if (end < text.length) {
      cutOff.abort();
      text = text.slice(0, end);
      break;
    }
  }
  return { reply: toReply(text, message), spent: spentBy(message) };
}

function stopOption(stop: readonly string[], sendStop: boolean): { stop?: string[] } {
  return sendStop && stop.length > 0 ? { stop: [...stop] } : {};
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

function toReply(text: string, message: AIMessage | AIMessageChunk | undefined): Reply {
  const finishReason = finishReasonIn(message?.response_metadata);
  return {
    text,
    toolCalls: (message?.tool_calls ?? []).map(({ id, name, args }) => ({ id, name, args })),
    invalidToolCalls: (message?.invalid_tool_calls ?? []).map(({ id, name, args, error }) => ({
      id,
      name,
      args,
      error,
    })),
    ...(finishReason === undefined ? {} : { finishReason }),
  };
}

function spentBy(message: Pick<AIMessageChunk, "usage_metadata"> | undefined): Partial<UsageCounts> {
  return {
    modelCalls: 1,
    inputTokens: message?.usage_metadata?.input_tokens,
    outputTokens: message?.usage_metadata?.output_tokens,
  };
}
