import {
  isTimeOver,
  limitOfConditions,
  limitOnCall,
  type Reached,
  timeLeft,
  timeoutsWithin,
  turnSoFar,
} from "../../limits/limits.js";
import type { Timeouts } from "../../parts/models.js";
import { runOf, usageOf } from "../../run/run.js";
import { runView } from "../../run/run-view.js";
import type { LastCall } from "../../state/decision.js";
import type { AgentStateValues } from "../../state/state.js";
import type { Step } from "./prepared-call.js";

/** Finds the limit that keeps a turn from a model call. */
export async function limitBefore(step: Step, inputTokens: () => number): Promise<Reached | undefined> {
  const { agent, model, state, config, last } = step;
  const turn = turnSoFar(state, usageOf(config));
  const reached = limitOnCall(agent.limits, turn, { model: model.name, inputTokens, isLast: last !== undefined });
  // A turn that is continued goes on, even if the condition is still met.
  const isContinued = state.turn.continued !== undefined && turn.steps.length === 0;
  if (reached || last || isContinued) return reached;
  return limitOfConditions(agent.limits, runView(state, config));
}

/** Returns the last call of a turn that `parse` ended at a limit. The correction in its last step asks for the answer. */
export function lastCallIn({ intermediateSteps }: AgentStateValues): LastCall | undefined {
  const decision = intermediateSteps.at(-1)?.decision;
  if (decision?.kind !== "unparseable" || decision.limit === undefined) return undefined;
  return { stopReason: decision.limit, why: decision.why, isAsked: true };
}

/** Returns the last call of a turn at a limit that was found before its next model call. */
export function lastCallAt(reached: Reached, { protocol, config }: Step): LastCall {
  const request = protocol.lastRequest(reached.why);
  runOf(config).emit({ type: "correction", text: request });
  return { ...reached, isAsked: true, request };
}

/** Returns the time limits of the model call of a step. It may not take longer than the turn. */
export function callTimeouts(step: Step): Required<Timeouts> {
  return timeoutsWithin(step.agent.models.limits.timeouts, leftFor(step));
}

/** Tells whether a model call failed because the time of the turn is over. */
export function isOutOfTime(step: Step, error: unknown): boolean {
  return isTimeOver(error, leftFor(step));
}

function leftFor({ agent, state, config, last }: Step): number {
  return timeLeft(agent.limits, turnSoFar(state, usageOf(config)), { isLast: last !== undefined });
}
