import type { BaseChatModelCallOptions } from "@langchain/core/language_models/chat_models";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { ModelAbilities } from "./models.js";
import type { FencedProtocol } from "./protocol.js";

/** What a text is as an output: JSON that fits, or a reason why it does not. */
export type OutputReading =
  | { readonly kind: "fits"; readonly json: string }
  | { readonly kind: "misfit"; readonly why: string };

/** What a model is given so that its answer has the form of the output. */
export interface OutputRequest {
  readonly instructions: string;
  /** The JSON schema that the model gets beside its messages, for the count of its tokens. It may be empty. */
  readonly definition: string;
  /** The output tool, if the model needs it. It is never run: its call is the answer. */
  readonly tools: readonly StructuredToolInterface[];
  /** The options of the model call, with a response format. Left out if the model is asked without one. */
  readonly options?: BaseChatModelCallOptions & { readonly response_format: Record<string, unknown> };
}

/** The form of an agent's answers. */
export interface Output {
  /** Reads an answer. */
  read(answer: string): OutputReading;
  /** Returns what a model with these abilities is given, so that its answer has the form. */
  request(protocol: FencedProtocol, abilities: ModelAbilities): OutputRequest;
}
