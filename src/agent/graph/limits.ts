/** How many steps a turn may take unless told otherwise, as in LangChain's AgentExecutor. */
export const defaultMaxSteps = 15;

/** How many unreadable replies in a row end a turn unless told otherwise. */
export const defaultMaxUnreadable = 3;

/**
 * LangGraph's limit on super-steps, such that the agent's own limit always ends a turn first: each step is at most a
 * `plan`, a `parse` and an `act`, before them comes `rephrase-question`, and after them a last `plan` and `parse`. One
 * more is LangGraph's own count of the step that would come next.
 */
export function recursionLimit(maxSteps: number): number {
  return 3 * maxSteps + 4;
}
