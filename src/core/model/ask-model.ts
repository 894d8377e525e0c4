import { isDeepStrictEqual } from "node:util";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { AIMessage, AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { dataWithoutSecrets, SecretFilter, withoutSecrets } from "../../base/secrets/without-secrets.js";
import { untilAborted } from "../../base/until-aborted.js";
import { estimatePrompt } from "../../content/estimated-tokens.js";
import { hasOwnStream } from "../../langgraph/chat-models.js";
import { piecesIn } from "../../provider-forms/call-pieces.js";
import { endingOf, malformedCall } from "../../provider-forms/finish-reason.js";
import { type UsageReport, usageIn } from "../../provider-forms/usage-report.js";
import type { CutReply, Models, NamedModels } from "../parts/models.js";
import type { ReplyListener, WrittenCall } from "../parts/plugin.js";
import type { Purpose } from "../run/events.js";
import { usageOf } from "../run/run.js";
import { givenMessageSchema, type Reply, unsigned } from "../state/decision.js";
import { quietCall } from "../state/quiet-call.js";
import { drawReplyId } from "../state/reply-id.js";
import type { Clock } from "./clock.js";
import { roomIn } from "./context-limit.js";
import { fallback, inOrder, isTooLong } from "./failures.js";
import { again, type BegunCall, callModel, type ModelCall } from "./model-call.js";
import { emitPrompt, emitReply } from "./prompt-events.js";
import { tokensOf } from "./tokens.js";

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
 * model refuses. If its server refuses the prompt as too long, a shorter one is written, once.
 */
export async function askForText(
  purpose: QuietPurpose,
  { load, limits }: Pick<Models, "load" | "limits">,
  write: WritePrompt,
  config: RunnableConfig,
): Promise<string> {
  const ask = async ([model]: NamedModels) => {
    const { findWindow, fits, learn } = roomIn(model, limits.contextTokens);
    await findWindow(write(() => true));
    const send = async (messages: BaseMessage[]) => {
      emitPrompt(config, { purpose, model: model.name, messages, stop: [], tools: [] });
      const reply = await callModel({ purpose, model, asked: model.model, messages, limits, config }, readText);
      const counter = usageOf(config);
      const noted = quietCall(purpose, model.name, messages, reply.text);
      counter.quietCalls.push({ ...noted, id: drawReplyId(), ...counter.takeAsked(purpose) });
      return endingOf(reply.finishReason) === "refused" ? "" : reply.text;
    };
    const shorten = (error: unknown, messages: BaseMessage[], tries: number) => {
      if (tries > 1 || !isTooLong(error)) throw error;
      learn(error, messages);
      const shorter = write(fits);
      if (estimatePrompt(shorter) === estimatePrompt(messages)) throw error;
      return shorter;
    };
    return again(send, shorten)(write(fits));
  };
  return again(ask, fallback(purpose, config))(inOrder(await load(), config));
}

type QuietPurpose = Exclude<Purpose, "reply">;

async function readText(call: BegunCall & { readonly purpose: QuietPurpose }) {
  const { purpose, asked, messages, config, usage, found, clock } = call;
  const { name, model, server } = call.model;
  const message = await invoke(asked, messages, hiddenConfig(config), clock);
  const { text, finishReason } = uncut(server.readReply([message], false));
  usage.addModelCall(name, tokensOf(usageIn(message), { model, messages, written: text, isWhole: true }));
  emitReply(config, { purpose, model: name, text, toolCalls: [] });
  found.reply = { text, toolCalls: [], finishReason };
  return found.reply;
}

/** Asks a model that answers in one piece. A call that ignores its timeout is left to itself. */
async function invoke(
  model: Pick<BaseChatModel, "invoke">,
  messages: BaseMessage[],
  options: RunnableConfig,
  { signal }: Clock,
): Promise<AIMessageChunk> {
  return untilAborted(model.invoke(messages, { ...options, signal }), signal);
}

/** The call for the reply of a step. */
interface ReplyCall extends ModelCall {
  /** The definitions of the tools as JSON, if the model gets them natively. */
  readonly tools?: string | undefined;
  /** Returns the name of the tool that the model calls by a name. Default: the same. */
  readonly ownName?: (sent: string) => string;
  /** The texts at which a reply is cut. The model is stopped there while it still writes. */
  readonly stop: readonly string[];
  /** Tells whether the model takes `stop` itself. */
  readonly sendStop: boolean;
  /** Begins a try, whose reply has an id of its own. */
  readonly begin: (id: string) => BegunTry;
}

/** A try to get a reply. */
export interface BegunTry {
  /** What takes note of the parts of the reply that arrive. */
  readonly listeners: readonly ReplyListener[];
  /**
   * Called with the whole text so far, and the first call so far, each time more of the reply arrives. The text never goes beyond
   * a stop text. Returns the place at which to cut the reply off, if the rest is of no use.
   */
  readonly onText: (text: string, call?: WrittenCall) => number | undefined;
}

/**
 * Reads the reply of a step. It is streamed if the model can stream. A model that ignores its stop texts is then cut off at
 * once, and nobody pays for an invented observation.
 */
export async function readReply(call: ReplyCall & BegunCall): Promise<Reply> {
  const { messages, tools, stop, usage, found } = call;
  const { name, model, server } = call.model;
  const spend: Spend = (reported, written, isWhole) =>
    usage.addModelCall(name, tokensOf(reported, { model, messages, tools, written, isWhole }));
  const begun = call.begin(drawReplyId());
  const { listeners } = begun;
  const end = () => listeners.map((listener) => listener.end?.());
  try {
    const called = withOwnNames(await readPieces(call, begun, spend), call.ownName);
    const reply: Reply = Object.assign(called, ...end());
    found.reply = reply;
    found.beside = besideIn(listeners);
    return reply;
  } catch (error) {
    // A text that the server took for a tool call and could not read is a reply, too.
    const failed = server.failedCall(error);
    if (failed === undefined) throw error;
    end();
    spend(undefined, failed.text, true);
    const text = withoutSecrets(failed.text.slice(0, cutIndex(failed.text, stop)));
    const invalidToolCalls = failed.words === "" ? [] : [{ error: failed.words }];
    return { text, toolCalls: [], invalidToolCalls, finishReason: malformedCall };
  }
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
type Spend = (reported: UsageReport | undefined, written: string, isWhole: boolean) => void;

function besideIn(listeners: readonly ReplyListener[]): string {
  return listeners.map(({ beside = "" }) => beside).join("");
}

/** The most characters of a reply. A model that never stops is cut off there, like at a token limit. */
const mostCharacters = 1_000_000;

/** Reads a reply in pieces, or in one piece if the model cannot stream. */
async function readPieces(
  { messages, asked, stop, sendStop, config, model: { server }, clock }: ReplyCall & BegunCall,
  { listeners, onText }: BegunTry,
  spend: Spend,
): Promise<Reply> {
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
  if (isStreamed) clock.awaitFirstToken();
  try {
    const options = { ...hiddenConfig(config, sendStop ? stop : []), signal: clock.signal };
    const chunks = isStreamed ? await asked.stream(messages, options) : [await invoke(asked, messages, options, clock)];
    for await (const chunk of chunks) {
      came.push(chunk);
      message = message === undefined ? chunk : message.concat(chunk);
      if (text !== "" || saysSomething(chunk)) clock.heard();
      for (const listener of listeners) listener.push?.(chunk, message);
      const unsearched = text.length;
      text += filter.push(chunk.text);
      call.push(chunk);
      characters += chunk.text.length + callsIn(chunk).length;
      const stopped = cutIndex(text, stop, unsearched);
      const end = onText(text.slice(0, stopped), call) ?? stopped;
      if (end < text.length) {
        clock.cutOff();
        return replyWith(text.slice(0, end), false);
      }
      if (listeners.reduce((all, { beside = "" }) => all + beside.length, characters) > mostCharacters) {
        clock.cutOff();
        return { ...replyWith(text, false), finishReason: "length" };
      }
    }
    if (message !== undefined) for (const listener of listeners) listener.whole?.(message);
    text += filter.end();
    const said = text.slice(0, cutIndex(text, stop));
    const reply = replyWith(said.slice(0, onText(said)), isStreamed);
    isWhole = true;
    return reply;
  } finally {
    if (message !== undefined) spend(usageIn(message), besideIn(listeners) + text + callsIn(message), isWhole);
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

/** Collects the first call of a reply from its chunks. */
export class FirstCall implements WrittenCall {
  name = "";
  args = "";
  readonly #secrets = new SecretFilter();
  #index: string | number | undefined;
  #isOver = false;

  push(chunk: AIMessageChunk): void {
    for (const { name, args, index } of piecesIn(chunk)) {
      this.#isOver ||= name !== "" && this.name !== "";
      if (this.name === "") {
        this.name = name;
        this.#index = index;
      }
      // LangChain takes the arguments of a server's own tools for calls without a name.
      if (!this.#isOver && this.name !== "" && index === this.#index) this.args += this.#secrets.push(args);
    }
  }
}
