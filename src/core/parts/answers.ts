import type { BaseChatModelCallOptions } from "@langchain/core/language_models/chat_models";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { Citation } from "../state/citation.js";
import type { Source } from "../state/source.js";
import type { ModelAbilities } from "./models.js";
import type { FencedProtocol, ToolSpec } from "./protocol.js";

/** What an agent does with its answers. */
export interface Answers {
  /** The name on the agent's messages. Left out if the user gave it none. */
  readonly name?: string;
  /** The form of the answers. Left out if they are plain words. */
  readonly output?: Output;
  readonly citations: Citations;
  /**
   * True if an answer is checked before its turn ends, and the model may be asked for another one. The answer then goes to
   * `messages` as a whole.
   */
  readonly areChecked?: boolean;
}

/** What a text is as an output: JSON that fits, or a reason why it does not. */
export type OutputReading =
  | { readonly kind: "fits"; readonly json: string }
  | { readonly kind: "misfit"; readonly why: string };

/** What a model is given so that its answer has the form of the output. */
export interface OutputRequest {
  readonly instructions: string;
  /** The JSON schema that the model gets beside its messages, so that its tokens are counted. May be "". */
  readonly definition: string;
  /** The output tool, if the model needs one. The tool never runs: its call is the answer. */
  readonly tools: readonly StructuredToolInterface[];
  /** The options of the model call, with a response format. Left out if the model is asked without one. */
  readonly options?: BaseChatModelCallOptions & { readonly response_format: Record<string, unknown> };
}

/** A call while a model writes it: its arguments are JSON that may break off. */
export interface WrittenCall {
  readonly name: string;
  readonly args: string;
}

/** Reads an output while a model writes it. */
export interface OutputReader {
  /**
   * Takes the whole text of a reply so far, and its first call. Returns the output as far as it is written, not checked. Returns
   * undefined if there is nothing new of it.
   */
  push(text: string, call: WrittenCall | undefined): unknown;
}

/** The form of an agent's answers. */
export interface Output {
  /** Reads an answer. */
  read(answer: string): OutputReading;
  /** Makes the reader of the output in one reply. */
  reader(protocol: FencedProtocol, tools: readonly ToolSpec[]): OutputReader;
  /** Returns what a model with these abilities is given, so that its answer has the form. */
  request(protocol: FencedProtocol, abilities: ModelAbilities): OutputRequest;
}

/** The citations in answers. */
export interface Citations {
  /** Writes other numbers into the citations of an answer: `[2]` gets the second one. */
  renumber(answer: string, numbers: readonly number[]): string;
  /** Reports the citations of an answer. The answer may also quote what the user said. */
  check(answer: string, sources: readonly Source[], said: string): Citation[];
}
