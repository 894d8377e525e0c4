import type { NextCall, TurnNow } from "../../core/parts/plugin.js";
import type { Reached } from "../../core/parts/reached.js";
import { runOf, usageOf } from "../../core/run/run.js";
import type { IntermediateStep, ParsedAction } from "../../core/state/decision.js";
import { addCounts, noCounts, type UsageCounts } from "../../core/state/usage.js";
import type { RunView } from "../run-view.js";
import type { Limits, StepLimits } from "./limit-values.js";
import { goesRound } from "./repeats.js";

/** The steps and the cost of a turn since it began, or since it was continued. */
export interface TurnSoFar {
  readonly steps: readonly IntermediateStep[];
  /** Returns how much of a measure was spent, such as tokens. */
  readonly spent: (measure: (usage: UsageCounts) => number) => number;
  readonly workedMs: number;
}

/** Returns the turn so far. The usage of the node at work counts, too. */
export function turnSoFar({
  state,
  config,
  spent = usageOf(config).spent,
}: Omit<NextCall, "model" | "inputTokens">): TurnSoFar {
  const { turn, intermediateSteps, usage } = state;
  const now = addCounts(usage.turn, spent);
  const { steps, usage: before } = turn.continued ?? { steps: 0, usage: noCounts };
  return {
    steps: intermediateSteps.slice(steps),
    spent: (measure) => measure(now) - measure(before),
    workedMs: runOf(config).turn.workedMs,
  };
}

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

/** The tokens that a reply is taken to have. */
export const replyTokens = 500;
/** The most time that is kept back for the last call. */
const longestReserveMs = 60_000;

/** Finds the limit that keeps a turn from a model call: on calls, tokens, cost and time. */
export function limitOnCall(limits: Limits, turn: TurnSoFar, next: NextCall): Reached | undefined {
  const { maxModelCalls, maxTokens, maxDollars } = limits.cost;
  const after = spending(limits, turn, next);
  if (after.modelCalls > maxModelCalls) return reached("model-call-limit", `the ${maxModelCalls} model calls`);
  if (after.tokens > maxTokens) return reached("token-limit", `the ${maxTokens} tokens`);
  if (after.dollars > maxDollars) return reached("cost-limit", `the ${maxDollars} US dollars`);
  return timeLeft(limits, turn, next) > 0 ? undefined : timeOver(limits.time.maxTurnMs);
}

/** Describes the time limit of a turn that has reached it. */
export function timeOver(maxTurnMs: number): Reached {
  return reached("time-limit", maxTurnMs < 1_000 ? `the ${maxTurnMs} ms` : `the ${maxTurnMs / 1_000} s`);
}

function reached(stopReason: Reached["stopReason"], most: string): Reached {
  return { stopReason, why: `the question was not settled within ${most} that a turn of this agent may take` };
}

/** Returns the milliseconds that a call may take. A call that is not the last one leaves time for that one. */
export function timeLeft(
  { time: { maxTurnMs }, isForced }: Limits,
  { workedMs }: TurnSoFar,
  { isLast }: Pick<TurnNow, "isLast">,
) {
  const reserve = isLast || isForced ? 0 : Math.min(longestReserveMs, maxTurnMs / 5);
  return maxTurnMs - reserve - workedMs;
}

/**
 * Returns the cost of the turn after a call, with the cost of the last call of the turn, which must still be possible
 * afterwards.
 */
function spending({ cost, isForced }: Limits, { spent, steps }: TurnSoFar, next: NextCall) {
  const { model, inputTokens, isLast, step } = next;
  // The first reply is asked for if its prompt alone is within the limits on tokens and cost.
  const isFirst = step !== undefined && steps.length === 0;
  const countsTokens = cost.maxTokens !== Infinity || cost.maxDollars !== Infinity;
  const tokens = countsTokens ? inputTokens() : 0;
  const reserved = isLast || isForced ? 0 : 1;
  const call = callOf(model, tokens, isFirst ? 0 : replyTokens);
  const calls = isFirst || reserved === 0 ? [call] : [call, callOf(model, tokens + 2 * replyTokens, replyTokens)];
  const dollars = (usage: UsageCounts) => (cost.maxDollars === Infinity ? 0 : cost.dollars(usage));
  return {
    modelCalls: spent((usage) => usage.modelCalls) + 1 + reserved,
    tokens: spent(tokensOf) + sum(calls.map(tokensOf)),
    dollars: spent(dollars) + sum(calls.map(dollars)),
  };
}

function callOf(model: string, inputTokens: number, outputTokens: number): UsageCounts {
  const call = { modelCalls: 1, inputTokens, outputTokens };
  return { ...noCounts, ...call, models: { [model]: call } };
}

function tokensOf({ inputTokens, outputTokens }: UsageCounts): number {
  return inputTokens + outputTokens;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Finds out whether a condition of the user ends a turn. */
export async function limitOfConditions({ stopWhen }: Limits, run: RunView): Promise<Reached | undefined> {
  for (const condition of stopWhen) {
    const met = await condition(run);
    if (met === false || met === "") continue;
    return { stopReason: "stop-condition", why: met === true ? "a condition for the end of the turn was met" : met };
  }
  return undefined;
}
