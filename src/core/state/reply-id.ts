import { randomUUID } from "node:crypto";
import type { BaseMessage } from "@langchain/core/messages";
import type { AgentStateValues } from "./state.js";

/**
 * Draws the id of a model's reply. This id is the prefix of the ids of the reply's actions and messages, so they differ from
 * those of every other turn, branch and agent.
 *
 * The id is short, as providers take ids of tool calls of up to 40 characters.
 */
export function drawReplyId(): string {
  // Node.js draws random bytes for many UUIDs at once. Their last twelve digits are all random.
  return randomUUID().slice(-12);
}

/**
 * Returns the id of the newest reply, which `plan` drew and the state keeps. So a node that runs again after a crash makes
 * the same ids. A reply that a person wrote may have no id: then the id is made from its turn and step.
 */
export function replyIdOf({
  reply,
  turn,
  intermediateSteps,
}: Pick<AgentStateValues, "reply" | "turn"> & { readonly intermediateSteps: { readonly length: number } }): string {
  return reply?.id ?? `${turn.id.slice(-12)}-${intermediateSteps.length + 1}`;
}

/** Returns the id of the message of an answer that is not the reply itself. */
export function answerIdOf(replyId: string): string {
  return `${replyId}-answer`;
}

/** Returns the id of the action whose result is a tool message. A result that is not ours is known by its own id. */
export function observationId({ id = "" }: BaseMessage): string {
  return id.replace(/-observation$/, "");
}
