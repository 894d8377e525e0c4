/**
 * Returns LangGraph's limit on super-steps, high enough that the agent's own limit always ends a turn first. Each step
 * has at most a `plan`, a `parse` and an `act`. The turn begins with `rephrase-question`. It ends with a reply beyond the
 * limit and the last reply, each with a `plan` and a `parse`. LangGraph counts one more: the super-step that would come next.
 */
export function recursionLimit(maxSteps: number): number {
  return Math.min(3 * maxSteps + 6, noRecursionLimit);
}

/** LangGraph's limit for an agent whose own limit is known only in a run. It still always ends a turn first. */
export const noRecursionLimit = Number.MAX_SAFE_INTEGER;
