import type { UsageCounter } from "../run/usage-counter.js";
import type { IntermediateStep, StopReason } from "../state/decision.js";
import type { AgentStateValues } from "../state/state.js";
import { addCounts, noCounts, type UsageCounts } from "../state/usage.js";

/** A limit that a turn has reached. `why` says it in a part of a sentence: "the turn took 15 steps". */
export interface Reached {
  readonly stopReason: StopReason;
  readonly why: string;
}

/** The steps and the cost of a turn since it began, or since it was continued. */
export interface TurnSoFar {
  readonly steps: readonly IntermediateStep[];
  /** Returns how much of a measure was spent, such as tokens. */
  readonly spent: (measure: (usage: UsageCounts) => number) => number;
  readonly workedMs: number;
}

/** Returns the turn so far. The usage of the node at work counts, too. */
export function turnSoFar(
  {
    turn,
    intermediateSteps,
    usage,
    workedMs,
  }: Pick<AgentStateValues, "turn" | "intermediateSteps" | "usage" | "workedMs">,
  { spent, elapsedMs }: Pick<UsageCounter, "spent" | "elapsedMs">,
): TurnSoFar {
  const now = addCounts(usage.turn, spent);
  const { steps, usage: before } = turn.continued ?? { steps: 0, usage: noCounts };
  return {
    steps: intermediateSteps.slice(steps),
    spent: (measure) => measure(now) - measure(before),
    workedMs: workedMs + elapsedMs,
  };
}

/** Returns the answer of a turn that ends at a limit without an answer of the model. */
export function limitSentence(why: string): string {
  return `I stopped without an answer: ${why}.`;
}
