import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import type { ServerTool } from "@langchain/core/tools";
import type { FilesTaken } from "../../content/file-block.js";
import type { ProviderForm } from "../../provider-forms/provider-form.js";
import type { ToolSpec } from "../../tool-inputs/tool-spec.js";
import type { Reply } from "../state/decision.js";
import type { Refusal } from "../state/prompt-record.js";

/** The models of an agent, and how they are asked. */
export interface Models {
  /** Loads the chat models at the first call. Each is asked after the failure of the one before. */
  load(): Promise<NamedModels>;
  /** Returns a model that a part of the agent brings along, such as its memory, as one that can be asked. */
  named(model: BaseChatModel): NamedModels;
  /** Returns a model for the replies of steps, such as one that its server holds to a grammar. */
  forReplies?(model: BaseChatModel): BaseChatModel;
  readonly limits: CallLimits;
  readonly refusals: Refusals;
}

/** What the servers of an agent's models refused in earlier turns: parts of requests, and kinds of files. */
export interface Refusals {
  learn(model: NamedModel, part: string): void;
  has(model: NamedModel, part: string): boolean;
}

/** The models of an agent. There is at least one. */
export type NamedModels = readonly [NamedModel, ...NamedModel[]];

/** A chat model of an agent, and what is known of it. */
export interface NamedModel {
  /** The name for its usage and its events. No other model of the agent has this name. */
  readonly name: string;
  readonly model: BaseChatModel;
  readonly abilities: ModelAbilities;
  readonly server: ModelServer;
}

/** The abilities of a chat model that an agent must know before it asks. */
export interface ModelAbilities extends FilesTaken {
  /** The model takes stop texts. If it does not, the reply is still cut locally. */
  readonly stop: boolean;
  /** The model takes tools and calls them natively. */
  readonly nativeTools: boolean;
  /** The kinds of files that the model takes: all that its package sends, but those that its profile in LangChain denies. */
  readonly files: FilesTaken["files"];
  /** What the model or its package does not take in a conversation. */
  readonly refuses: readonly Refusal[];
  /** The form of calls, results and tools that the provider takes. */
  readonly form: ProviderForm;
  /**
   * The model takes a response format with a JSON schema together with tools, according to its LangChain profile. Only a
   * `ChatOpenAI` that streams has this: without streaming its package accepts such a format only with strict tools.
   */
  readonly responseFormat: boolean;
}

/** A reply that did not come to its end. `cut` is the failure, for `explain`. */
export interface CutReply {
  readonly cut: Error;
}

/** The server of a model, and what it means with its replies and its errors. */
export interface ModelServer {
  /** Returns the words for it, such as `The model's server at http://…`. */
  name(): string;
  /** Returns the id of its provider, such as `openai`. */
  provider(): string;
  /** Reads the chunks of a reply, or the one message of a whole reply. `hasEnd` is true if the end of a stream must be in them. */
  readReply(chunks: readonly (AIMessage | AIMessageChunk)[], hasEnd: boolean): Reply | CutReply;
  /**
   * Returns the tokens of the window that is in force for the model, for one without a profile. The server is asked once.
   * Returns undefined if nobody knows the window.
   */
  window(): Promise<number | undefined>;
  /** Turns the failure of a call into a `ModelError`. An abort, and an error that it does not know, stay as they are. */
  explain(error: unknown, signal?: AbortSignal): unknown;
  /** Reads text of the model that the server took for a broken tool call. Returns undefined if it failed for another reason. */
  failedCall(error: unknown): FailedCall | undefined;
  /** Returns tools in the words of the provider, if its package would not send them whole. */
  definitions(tools: readonly ToolSpec[]): ServerTool[] | undefined;
}

/** Text of a model that its server took for a broken tool call, and the server's words about it. */
export interface FailedCall {
  readonly text: string;
  readonly words: string;
}

/** The limits of the model calls of an agent. */
export interface CallLimits {
  readonly timeouts: Required<Timeouts>;
  /** The number of new tries after a passing failure. Default: that of the model, at most 2. */
  readonly maxRetries?: number | undefined;
  /** The largest number of tokens in a prompt. Default: that of the model's profile in LangChain, else that of its server. */
  readonly contextTokens?: number | undefined;
}

/** The time limits of a model call, in milliseconds. */
export interface Timeouts {
  /**
   * The time to the first token of a streamed reply. A slow local model reads its prompt in it. Default: 120000. Node.js
   * itself gives up on a silent server after 300000.
   */
  readonly firstTokenMs?: number;
  /** The time between two tokens of a streamed reply. Default: 60000. */
  readonly betweenTokensMs?: number;
  /** The time for the whole call, with all retries. A model that does not stream has no other timeout. Default: 600000. */
  readonly totalMs?: number;
}
