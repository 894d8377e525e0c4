import type { Reply } from "../decision.js";
import type { Protocol, ToolSpec } from "./protocol.js";

export interface Unreadable {
  readonly protocol: Protocol;
  /** What the parser had to say. */
  readonly why: string;
  readonly reply: Reply;
  readonly tools: readonly ToolSpec[];
  /** How many unreadable replies in a row this one makes, counted from 1. */
  readonly attempt: number;
}

/** What the model is shown after a reply that could not be read. */
export function correction({ protocol, why, tools }: Unreadable): string {
  const example = protocol.exampleReply?.(tools);
  return `Your reply could not be read. ${why}${example ? ` Reply in this form:\n${example}` : ""}`;
}
