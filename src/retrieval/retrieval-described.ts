import type { AgentDescription } from "../agent/known-agents.js";
import { knownLimits, type TurnLimits } from "../agent/turn-limits.js";
import type { FixedRetrieval } from "./dependencies.js";

/** Returns what a retrieval agent tells of its searches, in the place of the limits of tools. */
export function retrievalDescribed(
  { retrievers, combine, translate, grading, checks, isAdaptive, ...fixed }: FixedRetrieval,
  turnLimits: TurnLimits,
): Pick<AgentDescription, "limits" | "retrieval"> {
  const { maxPassages, passageTokens, minScore, searchTimeoutMs } = fixed;
  const { maxSteps, maxParallelCalls, toolTimeoutMs, ...limits } = knownLimits(turnLimits);
  return {
    limits: { ...limits, maxPassages, passageTokens, minScore, searchTimeoutMs },
    retrieval: {
      retrievers: retrievers.map(({ name, description }) => ({ name, description })),
      combine,
      ...(typeof translate === "string" && { translate }),
      grade: grading !== undefined,
      check: checks,
      adaptive: isAdaptive,
    },
  };
}
