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
import { GlassloopError } from "../base/errors.js";
import { untilAborted } from "../base/until-aborted.js";

/** A reply in full, with LangChain's names. An `AIMessage` is one, and so is an object with some of its fields. */
export interface ScriptedMessage {
  /** The text of the reply; empty by default. */
  readonly content?: MessageContent;
  /** The native tool calls. A call without an id gets `call_1`, `call_2`, … */
  readonly tool_calls?: readonly {
    readonly name: string;
    readonly args: Record<string, unknown>;
    readonly id?: string;
  }[];
  /** The native tool calls whose arguments could not be read. They lose their id if the reply is streamed. */
  readonly invalid_tool_calls?: readonly Omit<InvalidToolCall, "type">[];
  /** The tokens in and out, as a provider counts them. */
  readonly usage_metadata?: UsageMetadata;
  /** The provider's own words, such as `{ finish_reason: "length" }`. */
  readonly response_metadata?: Record<string, unknown>;
  /** The pieces in which `stream` gives the text; its words by default. */
  readonly chunks?: readonly string[];
}

/** A reply of a scripted model: a text, a message, or an error that it throws. */
export type ScriptedReply = string | ScriptedMessage | Error;

/** A function that makes a reply from the messages. It may wait, and may throw. */
export type ScriptedReplyMaker = (
  messages: readonly BaseMessage[],
  options: ScriptedCallOptions,
) => ScriptedReply | Promise<ScriptedReply>;

/** The call options of a scripted model: those of LangChain, and the tools that `bindTools` bound. */
export interface ScriptedCallOptions extends BaseChatModelCallOptions {
  tools?: BindToolsInput[];
}

/** The record of one call of a scripted model. */
export interface ScriptedCall {
  /** The messages that were sent. */
  readonly messages: readonly BaseMessage[];
  /** The texts of the messages, joined by line breaks, as they would be sent to a completion model. */
  readonly prompt: string;
  /** The stop sequences that were sent; empty if there were none. */
  readonly stop: readonly string[];
  /** The tools that were bound to the model; empty if there were none. */
  readonly tools: readonly BindToolsInput[];
  /** All call options, including `signal`. */
  readonly options: ScriptedCallOptions;
}

/** The options of {@link scriptedModel}. */
export interface ScriptedModelOptions {
  /**
   * True if tools can be bound to the model; true by default. `false` leaves out `bindTools`, as in a model without
   * native tools.
   */
  readonly nativeTools?: boolean;
  /** The tokens to report with every reply that names none itself; none by default. */
  readonly usage?: UsageMetadata;
}

/** The chat model that {@link scriptedModel} makes. */
export class ScriptedModel extends BaseChatModel<ScriptedCallOptions> {
  /** The calls so far, the oldest first. All copies that `bindTools` or `withConfig` made share the list. */
  readonly calls: ScriptedCall[] = [];

  override readonly bindTools?: (
    tools: BindToolsInput[],
    options?: Partial<ScriptedCallOptions>,
  ) => Runnable<BaseLanguageModelInput, AIMessageChunk, ScriptedCallOptions>;

  constructor(
    readonly replies: readonly (ScriptedReply | ScriptedReplyMaker)[],
    private readonly script: ScriptedModelOptions = {},
  ) {
    super({ maxRetries: 0 });
    if (script.nativeTools ?? true) this.bindTools = (tools, options) => this.withConfig({ ...options, tools });
  }

  static override lc_name(): string {
    return "ScriptedModel";
  }

  /** It reads prompts of any length. */
  override get profile(): BaseChatModel["profile"] {
    return { maxInputTokens: Number.MAX_SAFE_INTEGER };
  }

  override _llmType(): string {
    return "glassloop-scripted";
  }

  /**
   * Fails if the script was not followed to its end.
   *
   * @throws {GlassloopError} "script-unfinished" if replies were never asked for.
   * @throws {GlassloopError} "script-ended" if the model was called too often, even if that error was caught.
   */
  assertComplete(): void {
    if (this.calls.length < this.replies.length) throw this.unfinishedError();
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

  private endedError(): GlassloopError {
    const last = this.calls[this.replies.length]?.messages.at(-1)?.text ?? "";
    const shown = last.length > 300 ? `… ${last.slice(-300)}` : last;
    return new GlassloopError(
      "script-ended",
      `The scripted model got one call too many: its script has ${counted(this.replies)}. ` +
        `Add a reply, or find out why the model was asked again. The last message it was sent ends:\n${shown}`,
    );
  }

  private unfinishedError(): GlassloopError {
    const calls = this.calls.length === 1 ? "once" : `${this.calls.length} times`;
    return new GlassloopError(
      "script-unfinished",
      `The scripted model was called ${calls}, but its script has ${counted(this.replies)}: take out the replies that ` +
        "are not needed, or find out why the run ended early.",
    );
  }
}

function counted({ length }: readonly unknown[]): string {
  return `${length} ${length === 1 ? "reply" : "replies"}`;
}

/**
 * Makes a chat model for tests. It gives the replies of a script in order and records the calls. It fails if it is
 * called too often. It takes no time and needs no network. `stop` sequences are recorded but not applied, because a
 * script may hold an invented observation on purpose.
 *
 * @param replies The replies, one for each call. A text or a message is said; a message may have tool calls, usage and
 *   a finish reason. An error is thrown. A function makes the reply from the messages and call options.
 * @param options The options: whether tools can be bound, and the usage to report.
 * @returns A LangChain chat model with `calls` and `assertComplete()`.
 * @throws {GlassloopError} "script-ended" from the model, if it is called too often.
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

/**
 * Copies the fields of a reply by name. To spread an `AIMessage` would copy inherited fields and leave its getters out.
 */
function copyOf(reply: ScriptedMessage): ScriptedMessage {
  const { content, tool_calls, invalid_tool_calls, response_metadata, chunks } = reply;
  return { content, tool_calls, invalid_tool_calls, response_metadata: { ...response_metadata }, chunks };
}

function toolCalls({ tool_calls = [] }: ScriptedMessage) {
  return tool_calls.map(({ name, args, id }, index) => {
    return { name, args, id: id ?? `call_${index + 1}`, type: "tool_call" as const };
  });
}

function invalidToolCalls(reply: ScriptedMessage): InvalidToolCall[] {
  return (reply.invalid_tool_calls ?? []).map((call) => ({ ...call, type: "invalid_tool_call" }));
}

/** Cuts a reply into chunks, in the order in which providers stream: text, tool calls, usage and metadata. */
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
  // LangChain repairs cut-off JSON when it joins chunks. Only a call without an id is sure to stay invalid.
  const invalid = invalidToolCalls(reply).map(({ name, args }) => ({ name, args: args ?? "", id: undefined }));
  return [...valid, ...invalid].map((call, index) => ({ ...call, index, type: "tool_call_chunk" }));
}
