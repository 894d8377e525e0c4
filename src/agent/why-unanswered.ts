import { shorten } from "../base/shorten.js";
import type { StopReason } from "../turn/decision.js";

/**
 * Writes the answer of a turn that was stopped, was killed or failed, and will not go on.
 *
 * @param stopReason The word for the end of the turn.
 * @param failure The message of the error, if the turn failed.
 * @param tools The tools that were next.
 * @param waits True if a tool asked for a decision, and nobody gave one.
 */
export function whyUnanswered(turn: {
  readonly stopReason: StopReason;
  readonly failure: string | undefined;
  readonly tools: readonly string[];
  readonly waits: boolean;
}): string {
  return [reason(turn.stopReason, turn.failure), ...effects(turn.tools, turn.waits)].join(" ");
}

function reason(stopReason: StopReason, failure = ""): string {
  if (stopReason !== "failed") return `I did not answer this question: the turn was ${stopReason}.`;
  const cause = shorten(failure.trim(), 500);
  return `I did not answer this question, because of an error: ${cause}${/[.!?…]$/.test(cause) ? "" : "."}`;
}

function effects(tools: readonly string[], waits: boolean): string[] {
  const names = tools.join(", ");
  if (tools.length === 0) return [];
  if (!waits) return [`It was about to use ${names}, which may or may not have happened.`];
  const rest = tools.length === 1 ? `and ${names} did nothing.` : "and what waited for it did nothing.";
  return [`It was waiting for a decision about ${names}, ${rest}`];
}
