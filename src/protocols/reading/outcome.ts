import { ambiguousBackslash, isAmbiguous } from "../../base/ambiguous-backslash.js";
import type { ParsedReply } from "../../core/state/decision.js";
import type { ToolInput } from "../../tool-inputs/tool-input.js";
import { isPlaceholder } from "./placeholders.js";
import type { ReplyText } from "./sections/reply-text.js";
import type { Section } from "./sections/sections.js";
import { thoughtBefore } from "./thought.js";
import type { ToolNames } from "./tool-names.js";

/** The options for reading a reply. All prompted protocols share the rest. */
export interface ReadingOptions {
  /** Reads an input that is a JSON object as an object. Otherwise it stays a text. */
  readonly objectInputs?: boolean;
  /** Reads the text of a model with native calls: all calls in it count, and a text fills the only argument of its tool. */
  readonly isNative?: boolean;
}

/** A reply with all that its reader needs. */
export interface Reading {
  readonly reply: ReplyText;
  readonly sections: readonly Section[];
  readonly names: ToolNames;
  readonly options: ReadingOptions;
}

/**
 * The outcome of a section. It is a step, or a problem with a reason. `whole` says that the step is complete, even if
 * the reply was cut.
 */
export type Outcome = { readonly kind: "step"; readonly parsed: ParsedReply; readonly whole: boolean } | Problem;

/** What keeps a reply from being followed. */
export type Problem = ParsedReply & { readonly kind: "unparseable" };

/** Returns what an outcome makes of a reply. */
export function parsedAs(outcome: Outcome): ParsedReply {
  return outcome.kind === "step" ? outcome.parsed : outcome;
}

/** Makes an outcome that says what is wrong. */
export function problem(why: string): Problem {
  return { kind: "unparseable", why };
}

/** The outcome of a section such as `Action: None`, which declares itself that there is nothing to do. */
export const nothing: Outcome = problem("It names no tool to use, and gives no final answer either.");

/** The problem of a reply that copies the prompt. */
export const copied = "It copies the instructions, with nothing filled in.";

/** Writes the problem of a call without its input. */
export function noInput(tool: string): string {
  return `It names the tool ${JSON.stringify(tool.slice(0, 100))}, but gives no input for it.`;
}

/** The place of a step in a reply. `whole` says that the step is complete, even if the reply was cut. */
export interface Place {
  readonly start: number;
  readonly end: number;
  readonly whole: boolean;
}

/** A call that was read in a reply, with its own place. */
export interface ReadCall {
  readonly tool: string;
  readonly toolInput: ToolInput;
  readonly start: number;
  readonly end: number;
}

/**
 * Makes the step that runs tools. The words before it are the thought. The log is the reply up to the end of the step.
 */
export function act({ reply, sections }: Reading, calls: readonly ReadCall[], { start, end, whole }: Place): Outcome {
  const log = reply.text.slice(0, end).trimEnd();
  const thought = thoughtBefore(sections, start);
  const actions = calls.map(({ tool, toolInput, ...place }) => {
    const written = reply.text.slice(place.start, place.end).trim();
    return { tool, toolInput, log, written };
  });
  if (actions.some(({ written, toolInput }) => isAmbiguous(written, toolInput)))
    return { kind: "step", parsed: problem(ambiguousBackslash), whole };
  return { kind: "step", parsed: { kind: "action", actions, ...(thought && { thought }) }, whole };
}

/** Makes the step that ends the turn with an answer. */
export function finish({ sections }: Reading, output: string, { start, whole }: Omit<Place, "end">): Outcome {
  const text = output.trim();
  if (text === "") return problem("Its final answer is empty.");
  if (isPlaceholder(text)) return problem(copied);
  const thought = thoughtBefore(sections, start);
  return { kind: "step", parsed: { kind: "finish", output: text, ...(thought && { thought }) }, whole };
}

/** Makes the step that ends the turn with words as they are. */
export function said(output: string): Outcome {
  return { kind: "step", parsed: { kind: "finish", output }, whole: false };
}

/** Tells whether the reply continues after a section. The section is then complete, even if the reply was cut later. */
export function followed({ reply }: Reading, section: Section): boolean {
  return section.end < reply.text.length;
}
