import type { StepLimits } from "../parts/limits.js";
import type { ParsedAction } from "../state/decision.js";
import type { Reached, TurnSoFar } from "./limit.js";
import { goesRound } from "./repeats.js";

/**
 * Finds the limit that keeps a turn from an action: on steps, on calls of a tool, on repeats.
 *
 * @param polls Tells which tools may be called again and again, such as one that waits for something.
 */
export function limitOnActions(
  limits: StepLimits,
  turn: TurnSoFar,
  actions: readonly ParsedAction[],
  polls: (tool: string) => boolean,
): Reached | undefined {
  return (
    limitOnSteps(limits, turn) ??
    limitOnTools(limits, turn, actions) ??
    (actions.some(({ tool }) => polls(tool)) ? undefined : limitOnRepeats(turn, actions))
  );
}

/** Finds out whether a turn may take no more steps. */
export function limitOnSteps({ maxSteps }: StepLimits, { steps }: TurnSoFar): Reached | undefined {
  if (steps.length < maxSteps) return undefined;
  const most = maxSteps === 1 ? "1 step" : `${maxSteps} steps`;
  return {
    stopReason: "step-limit",
    why: `the question was not settled after ${most}, the most that this agent takes`,
  };
}

function limitOnTools(
  { maxToolCalls }: StepLimits,
  { steps }: TurnSoFar,
  actions: readonly ParsedAction[],
): Reached | undefined {
  const called = [...steps.flatMap(({ results }) => results.map(({ action }) => action)), ...actions];
  const name = actions.find(
    ({ tool }) => called.filter((call) => call.tool === tool).length > maxToolCalls(tool),
  )?.tool;
  if (name === undefined) return undefined;
  const most = maxToolCalls(name);
  return {
    stopReason: "tool-call-limit",
    why: `the question was not settled with ${most} call${most === 1 ? "" : "s"} of ${name}, the most that this agent makes in a turn`,
  };
}

function limitOnRepeats({ steps }: TurnSoFar, actions: readonly ParsedAction[]): Reached | undefined {
  if (!goesRound(steps, actions)) return undefined;
  return { stopReason: "repeats", why: "the same calls were made again and again, and brought nothing new" };
}
