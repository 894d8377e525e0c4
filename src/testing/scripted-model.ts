import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  type InvalidToolCall,
  type MessageContent,
  type ToolCallChunk,
  type UsageMetadata,
} from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import type { Runnable } from "@langchain/core/runnables";
import { ScriptEndedError, ScriptUnfinishedError } from "../base/errors.js";

/** A reply in full, with LangChain's names: an `AIMessage` is one, and so is an object with some of its fields. */
export interface ScriptedMessage {
  /** What the model says; nothing unless given. */
  readonly content?: MessageContent;
  /** Native tool calls. A call without an id gets `call_1`, `call_2`, … */
  readonly tool_calls?: readonly {
    readonly name: string;
    readonly args: Record<string, unknown>;
    readonly id?: string;
  }[];
  /** Native tool calls whose arguments could not be read. When streamed they lose their id. */
  readonly invalid_tool_calls?: readonly Omit<InvalidToolCall, "type">[];
  /** Tokens in and out, as a provider counts them. */
  readonly usage_metadata?: UsageMetadata;
  /** The provider's own words, such as `{ finish_reason: "length" }`. */
  readonly response_metadata?: Record<string, unknown>;
  /** The pieces in which `stream` gives the text; its words unless given. */
  readonly chunks?: readonly string[];
}

/** What a scripted model can do when it is called: say something, or throw. */
export type ScriptedReply = string | ScriptedMessage | Error;

/** A reply made from what the model is sent. May wait, and may throw. */
export type ScriptedReplyMaker = (
  messages: readonly BaseMessage[],
  options: ScriptedCallOptions,
) => ScriptedReply | Promise<ScriptedReply>;

/** The call options a scripted model is given: LangChain's, and the tools that `bindTools` bound. */
export interface ScriptedCallOptions extends BaseChatModelCallOptions {
  tools?: BindToolsInput[];
}

/** One call of a scripted model, as it was recorded. */
export interface ScriptedCall {
  /** The messages it was sent. */
  readonly messages: readonly BaseMessage[];
  /** Their texts, joined by line breaks: what a completion model would have been sent. */
  readonly prompt: string;
  /** The stop sequences it was sent; empty when there were none. */
  readonly stop: readonly string[];
  /** The tools bound to it; empty when there were none. */
  readonly tools: readonly BindToolsInput[];
  /** All call options, `signal` among them. */
  readonly options: ScriptedCallOptions;
}

/** What {@link scriptedModel} can be told besides its replies. */
export interface ScriptedModelOptions {
  /** Whether tools can be bound to the model. `false` leaves out `bindTools`, as in a model without native tools. Default: true. */
  readonly nativeTools?: boolean;
  /** Tokens to report with every reply that does not say its own. Left out: none are reported. */
  readonly usage?: UsageMetadata;
}

/** The chat model behind {@link scriptedModel}. */
export class ScriptedModel extends BaseChatModel<ScriptedCallOptions> {
  /** What the model was sent so far, oldest first. Shared with every copy that `bindTools` or `withConfig` made. */
  readonly calls: ScriptedCall[] = [];

  override readonly bindTools?: (
    tools: BindToolsInput[],
    options?: Partial<ScriptedCallOptions>,
  ) => Runnable<BaseLanguageModelInput, AIMessageChunk, ScriptedCallOptions>;

  constructor(
    readonly replies: readonly (ScriptedReply | ScriptedReplyMaker)[],
    private readonly script: ScriptedModelOptions = {},
  ) {
    super({});
    if (script.nativeTools ?? true) this.bindTools = (tools, options) => this.withConfig({ ...options, tools });
  }

  static override lc_name(): string {
    return "ScriptedModel";
  }

  override _llmType(): string {
    return "glassloop-scripted";
  }

  /**
   * Fails when the script was not followed to its end.
   *
   * @throws {ScriptUnfinishedError} when replies were never asked for.
   * @throws {ScriptEndedError} when the model was called once too often, even if that error was swallowed.
   */
  assertComplete(): void {
    if (this.calls.length < this.replies.length)
      throw new ScriptUnfinishedError(this.replies.length, this.calls.length);
    if (this.calls.length > this.replies.length) throw this.endedError();
  }

  override async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    const reply = await this.nextReply(messages, options);
    const { content = "", usage_metadata, response_metadata } = reply;
    const message = new AIMessage({
      content,
      tool_calls: toolCalls(reply),
      invalid_tool_calls: invalidToolCalls(reply),
      usage_metadata,
      response_metadata,
    });
    return { generations: [{ text: message.text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const reply = await this.nextReply(messages, options);
    for (const chunk of chunksOf(reply)) {
      options.signal?.throwIfAborted();
      const generation = new ChatGenerationChunk({ text: chunk.text, message: chunk });
      yield generation;
      await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, {
        chunk: generation,
      });
    }
  }

  private async nextReply(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ScriptedMessage> {
    options.signal?.throwIfAborted();
    const { stop = [], tools = [] } = options;
    const prompt = messages.map((message) => message.text).join("\n");
    this.calls.push({ messages: [...messages], prompt, stop, tools, options });
    const entry = this.replies[this.calls.length - 1];
    if (entry === undefined) throw this.endedError();
    const reply = typeof entry === "function" ? await untilAborted(entry(messages, options), options.signal) : entry;
    if (reply instanceof Error) throw reply;
    const message = typeof reply === "string" ? { content: reply } : reply;
    return { ...copyOf(message), usage_metadata: message.usage_metadata ?? this.script.usage };
  }

  private endedError(): ScriptEndedError {
    const last = this.calls[this.replies.length]?.messages.at(-1);
    return new ScriptEndedError(this.replies.length, last?.text ?? "");
  }
}

/**
 * A chat model for tests: it gives the replies of a script in order, records what it was sent, and fails when it is
 * asked for one reply too many. It takes no time and needs no network. `stop` sequences are recorded but not applied:
 * a script may hold an invented observation on purpose.
 *
 * @param replies What it does at each call: says a text, says a message (with tool calls, usage, a finish reason), throws
 *   an error, or asks a function that is given the messages and call options.
 * @param options Whether tools can be bound, and the usage to report.
 * @returns A LangChain chat model with `calls` and `assertComplete()`.
 * @throws {ScriptEndedError} from the model, when it is called once too often.
 *
 * @example
 * ```ts
 * import { calculator, createAgent } from "glassloop";
 * import { scriptedModel, transcript } from "glassloop/testing";
 *
 * const model = scriptedModel([
 *   "I need to use a calculator for this\nAction: calculator\nAction Input: 25^(1/2)",
 *   "I now know the final answer\nFinal Answer: The square root of 25 is 5.",
 * ]);
 * const agent = createAgent({ model, tools: [calculator()] });
 * const state = await agent.invoke({ messages: "What is the square root of 25?" });
 *
 * expect(state.answer).toBe("The square root of 25 is 5.");
 * expect(model.calls[1]?.prompt).toContain("Observation: 5");
 * expect(transcript(state)).toMatchSnapshot();
 * model.assertComplete();
 * ```
 */
export function scriptedModel(
  replies: readonly (ScriptedReply | ScriptedReplyMaker)[],
  options: ScriptedModelOptions = {},
): ScriptedModel {
  return new ScriptedModel(replies, options);
}

/** The fields of a reply by name: spreading an `AIMessage` would take its inherited ones, and not its getters. */
function copyOf({
  content,
  tool_calls,
  invalid_tool_calls,
  response_metadata,
  chunks,
}: ScriptedMessage): ScriptedMessage {
  return { content, tool_calls, invalid_tool_calls, response_metadata: { ...response_metadata }, chunks };
}

function toolCalls(
  reply: ScriptedMessage,
): { name: string; args: Record<string, unknown>; id: string; type: "tool_call" }[] {
  return (reply.tool_calls ?? []).map((call, index) => ({
    name: call.name,
    args: call.args,
    id: call.id ?? `call_${index + 1}`,
    type: "tool_call",
  }));
}

function invalidToolCalls(reply: ScriptedMessage): InvalidToolCall[] {
  return (reply.invalid_tool_calls ?? []).map((call) => ({ ...call, type: "invalid_tool_call" }));
}

/** The text piece by piece, then the tool calls, then usage and metadata: the order in which providers stream. */
function* chunksOf(reply: ScriptedMessage): Generator<AIMessageChunk> {
  for (const piece of reply.chunks ?? pieces(reply.content ?? "")) yield new AIMessageChunk({ content: piece });
  const tool_call_chunks = toolCallChunks(reply);
  if (tool_call_chunks.length > 0) yield new AIMessageChunk({ content: "", tool_call_chunks });
  const { usage_metadata, response_metadata } = reply;
  yield new AIMessageChunk({ content: "", usage_metadata, response_metadata });
}

function pieces(content: MessageContent): MessageContent[] {
  return typeof content === "string" ? (content.match(/\s*\S+|\s+$/g) ?? []) : [content];
}

function toolCallChunks(reply: ScriptedMessage): ToolCallChunk[] {
  const valid = toolCalls(reply).map(({ name, args, id }) => ({ name, args: JSON.stringify(args), id }));
  // LangChain mends cut-off JSON when it joins chunks. Only a call without an id is sure to stay invalid.
  const invalid = invalidToolCalls(reply).map(({ name, args }) => ({ name, args: args ?? "", id: undefined }));
  return [...valid, ...invalid].map((call, index) => ({ ...call, index, type: "tool_call_chunk" }));
}

/** Waits for a reply that a function makes, but no longer than the caller does. */
async function untilAborted<T>(reply: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return reply;
  let stopWaiting = () => {};
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    stopWaiting = () => signal.removeEventListener("abort", onAbort);
  });
  try {
    return await Promise.race([reply, aborted]);
  } finally {
    stopWaiting();
  }
}
