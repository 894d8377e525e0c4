import type { ParsedReply, ToolInput } from "../../turn/decision.js";
import type { ToolSpec } from "../protocol.js";
import { isPlaceholder } from "./placeholders.js";
import type { ReplyText } from "./sections/reply-text.js";
import type { Section } from "./sections/sections.js";
import { thoughtBefore } from "./thought.js";
import type { ToolNames } from "./tool-names.js";

/** How a protocol reads what all prompted protocols share. */
export interface ReadingOptions {
  /** An input that is a JSON object is read as one; otherwise it stays the text that it is. */
  readonly objectInputs?: boolean;
}

/** A reply under the eyes of its reader. */
export interface Reading {
  readonly reply: ReplyText;
  readonly sections: readonly Section[];
  readonly tools: readonly (ToolSpec | string)[];
  readonly names: ToolNames;
  readonly options: ReadingOptions;
}

/**
 * What a section says: a step (`whole` when it is known to be complete though the reply was cut), or what is wrong with
 * it. `nothing`: it says itself that there is nothing to do.
 */
export type Outcome =
  | { readonly kind: "step"; readonly parsed: ParsedReply; readonly whole: boolean }
  | { readonly kind: "problem"; readonly why: string; readonly nothing?: boolean };

/** An outcome that says what is wrong. */
export function problem(why: string): Outcome {
  return { kind: "problem", why };
}

/** An outcome that says that there is nothing to do. */
export const nothing: Outcome = {
  kind: "problem",
  nothing: true,
  why: "It names no tool to use, and gives no final answer either.",
};

/** What is wrong with a copy of the prompt. */
export const copied = "It copies the instructions, with nothing filled in.";

/** What is wrong with a call that lacks its input. */
export function noInput(tool: string): string {
  return `It names the tool ${JSON.stringify(tool.slice(0, 100))}, but gives no input for it.`;
}

/** What is known of a tool: its spec, or only its name. */
export function specOf({ tools }: Reading, name: string): ToolSpec | string {
  return tools.find((tool) => typeof tool !== "string" && tool.name === name) ?? name;
}

/** Where a step stands in a reply, and whether it is known to be complete though the reply was cut. */
export interface Place {
  readonly start: number;
  readonly end: number;
  readonly whole: boolean;
}

/** The step that runs a tool. The words before it are the thought, and all of the reply up to its end led to it. */
export function act(
  { reply, sections }: Reading,
  tool: string,
  toolInput: ToolInput,
  { start, end, whole }: Place,
): Outcome {
  const log = reply.text.slice(0, end).trimEnd();
  const thought = thoughtBefore(sections, start);
  return {
    kind: "step",
    parsed: { kind: "action", actions: [{ tool, toolInput, log }], ...(thought && { thought }) },
    whole,
  };
}

/** The step that ends the turn with an answer. */
export function finish({ sections }: Reading, output: string, { start, whole }: Omit<Place, "end">): Outcome {
  const text = output.trim();
  if (text === "") return problem("Its final answer is empty.");
  if (isPlaceholder(text)) return problem(copied);
  const thought = thoughtBefore(sections, start);
  return { kind: "step", parsed: { kind: "finish", output: text, ...(thought && { thought }) }, whole };
}

/** Whether the reply goes on after a section: then the section is complete, wherever the reply was cut. */
export function followed({ reply }: Reading, section: Section): boolean {
  return section.end < reply.text.length;
}
