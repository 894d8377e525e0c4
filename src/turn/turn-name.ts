import { hash } from "node:crypto";
import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Turn } from "./state.js";

/** What the ids of a turn's actions and messages begin with. A turn of an older Glassloop has its number only. */
export function turnName({ name, number }: Turn): string {
  return name ?? String(number);
}

/**
 * Names a turn: by its number, where the conversation is the agent's own. In one that others write to as well (that of a
 * graph which the agent is a node of, or one brought along by the caller), another turn may have that number: there the name
 * is made of the question's id and of the node that asks. It is the same when the turn begins again after a crash.
 *
 * @param messages The conversation, up to the question.
 * @param outerNode What {@link outerNodeOf} tells; undefined where the agent is the whole graph.
 */
export function nameTurn(number: number, messages: readonly BaseMessage[], outerNode?: string): string {
  const isTaken = messages.some(({ id }) => id?.startsWith(`${number}-`));
  if (!isTaken && outerNode === undefined) return String(number);
  const key = JSON.stringify([outerNode, messages.at(-1)?.id, number]);
  return hash("sha256", key).slice(0, NAME_LENGTH);
}

/** Providers take ids of tool calls of up to 40 characters. */
const NAME_LENGTH = 12;

/** The node of an outer graph in which a node of this one runs, as LangGraph's checkpoints name it; undefined where there is none. */
export function outerNodeOf({ configurable }: RunnableConfig): string | undefined {
  const path: unknown = configurable?.checkpoint_ns;
  const end = typeof path === "string" ? path.lastIndexOf("|") : -1;
  return typeof path === "string" && end >= 0 ? path.slice(0, end) : undefined;
}
