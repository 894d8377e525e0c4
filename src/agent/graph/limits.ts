/** The largest number of steps in a turn, if the options name none. The same as in LangChain's AgentExecutor. */
export const defaultMaxSteps = 15;

/** The number of unreadable replies in a row that ends a turn, if the options name none. */
export const defaultMaxUnreadable = 3;

/**
 * Returns LangGraph's limit on super-steps, high enough that the agent's own limit always ends a turn first. Each step
 * has at most a `plan`, a `parse` and an `act`. The turn begins with `rephrase-question` and ends with a last `plan`
 * and `parse`. LangGraph counts one more: the super-step that would come next.
 */
export function recursionLimit(maxSteps: number): number {
  return 3 * maxSteps + 4;
}

/** LangGraph's limit for an agent whose own limit is known only in a run. It still always ends a turn first. */
export const noRecursionLimit = Number.MAX_SAFE_INTEGER;
