import type { BaseMessage } from "@langchain/core/messages";
import type { ModelError } from "../../base/errors.js";
import type { PromptRecord, Shortened } from "../state/prompt-record.js";
import type { AgentStateValues } from "../state/state.js";
import type { FencedProtocol } from "./protocol.js";

/** A prompt that is to be written for the reply of a step. */
export interface PromptOfStep {
  readonly protocol: FencedProtocol;
  /** What the prompt is made of, beside the state. */
  readonly record: PromptRecord;
  readonly state: AgentStateValues;
  /** The text that asks for the last reply of the turn, if no step has it. */
  readonly request?: string | undefined;
  readonly room: Room;
}

/** A prompt, and what it shows only in part. */
export interface WrittenPrompt {
  readonly messages: BaseMessage[];
  readonly shortened: Shortened;
}

/** Writes what a model is shown of a thread. The same state always gives the same messages, unless there is less room. */
export type WritePromptOfStep = (prompt: PromptOfStep) => Promise<WrittenPrompt>;

/** The room for a prompt in a model. */
export interface Room {
  /** Finds out the window of a model whose limit is unknown, if messages may be too long for it. */
  findWindow(messages: readonly BaseMessage[]): Promise<void>;
  /** Tells whether messages fit into it. */
  fits(messages: readonly BaseMessage[]): boolean;
  /** Tells whether messages leave room for more steps. */
  fitsWell(messages: readonly BaseMessage[]): boolean;
  /** Takes note of the refusal of messages. */
  learn(refusal: ModelError, messages: readonly BaseMessage[]): void;
}
