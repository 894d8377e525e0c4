import { hash } from "node:crypto";
import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Turn } from "./state.js";

/**
 * Returns the beginning of the ids of a turn's actions and messages. A turn of an older Glassloop has only its number.
 */
export function turnName({ name, number }: Turn): string {
  return name ?? String(number);
}

/**
 * Names a turn. The name is its number if the agent alone writes the conversation. Another turn may have this number if
 * an outer graph writes to the conversation, or the input has older messages. Then the name is a hash of the question's
 * id, the outer node and the number. A turn that begins again after a crash keeps its name.
 *
 * @param messages The conversation, up to the question.
 * @param outerNode The result of {@link outerNodeOf}.
 */
export function nameTurn(number: number, messages: readonly BaseMessage[], outerNode?: string): string {
  const isTaken = messages.some(({ id }) => id?.startsWith(`${number}-`));
  if (!isTaken && outerNode === undefined) return String(number);
  const key = JSON.stringify([outerNode, messages.at(-1)?.id, number]);
  return hash("sha256", key).slice(0, NAME_LENGTH);
}

/** The length of a hashed name. It is short, as providers take ids of tool calls of up to 40 characters. */
const NAME_LENGTH = 12;

/**
 * Returns the node of the outer graph in which this graph runs, as LangGraph's checkpoints name it. Returns undefined
 * if there is no outer graph.
 */
export function outerNodeOf({ configurable }: RunnableConfig): string | undefined {
  const path: unknown = configurable?.checkpoint_ns;
  const end = typeof path === "string" ? path.lastIndexOf("|") : -1;
  return typeof path === "string" && end >= 0 ? path.slice(0, end) : undefined;
}
