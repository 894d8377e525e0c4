import type { Reply } from "./decision.js";
import type { AgentStateValues } from "./state.js";

/** Returns the replies of a turn so far, oldest first. */
export function repliesIn({
  intermediateSteps,
  reply: newest,
}: Pick<AgentStateValues, "intermediateSteps" | "reply">): Reply[] {
  const replies = intermediateSteps.map(({ reply }) => reply);
  const isPending = newest !== null && !replies.some(({ id }) => id === newest.id);
  return isPending ? [...replies, newest] : replies;
}
