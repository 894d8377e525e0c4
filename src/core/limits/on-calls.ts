import { ModelError } from "../../base/errors.js";
import type { Limits } from "../parts/limits.js";
import type { Timeouts } from "../parts/models.js";
import type { RunView } from "../run/run-view.js";
import { noCounts, type UsageCounts } from "../state/usage.js";
import type { Reached, TurnSoFar } from "./limit.js";

/** A model call that is about to be made, with an estimate of its tokens. */
export interface NextCall {
  readonly model: string;
  /** Estimates the tokens of its prompt. Only limits on tokens and cost ask for that. */
  readonly inputTokens: () => number;
  /** True for the last call of a turn. Before any other call there must be room for the last one, too. */
  readonly isLast: boolean;
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
  return timeLeft(limits, turn, next) > 0 ? undefined : timeIsOver(limits);
}

/** Returns the limit on the time of a turn. */
export function timeIsOver({ time: { maxTurnMs } }: Limits): Reached {
  return reached("time-limit", maxTurnMs < 1_000 ? `the ${maxTurnMs} ms` : `the ${maxTurnMs / 1_000} s`);
}

function reached(stopReason: Reached["stopReason"], most: string): Reached {
  return { stopReason, why: `the question was not settled within ${most} that a turn of this agent may take` };
}

/** Returns the milliseconds that a call may take. A call that is not the last one leaves time for that one. */
export function timeLeft(
  { time: { maxTurnMs }, isForced }: Limits,
  { workedMs }: TurnSoFar,
  { isLast }: Pick<NextCall, "isLast">,
) {
  const reserve = isLast || isForced ? 0 : Math.min(longestReserveMs, maxTurnMs / 5);
  return maxTurnMs - reserve - workedMs;
}

/** Returns the time limits of a model call that may not take longer than its turn. */
export function timeoutsWithin(timeouts: Required<Timeouts>, left: number): Required<Timeouts> {
  return left < timeouts.totalMs ? { ...timeouts, totalMs: Math.max(1, Math.ceil(left)) } : timeouts;
}

/** Tells whether a model call failed because the time of its turn is over. */
export function isTimeOver(error: unknown, left: number): boolean {
  return error instanceof ModelError && error.kind === "timeout" && left <= 0;
}

/** Returns the cost of the turn after a call. The last call must still be possible then, so its cost is in it. */
function spending({ cost, isForced }: Limits, { spent }: TurnSoFar, { model, inputTokens, isLast }: NextCall) {
  const countsTokens = cost.maxTokens !== Infinity || cost.maxDollars !== Infinity;
  const tokens = countsTokens ? inputTokens() : 0;
  const call = callOf(model, tokens);
  const calls = isLast || isForced ? [call] : [call, callOf(model, tokens + 2 * replyTokens)];
  const dollars = (usage: UsageCounts) => (cost.maxDollars === Infinity ? 0 : cost.dollars(usage));
  return {
    modelCalls: spent((usage) => usage.modelCalls) + calls.length,
    tokens: spent(tokensOf) + sum(calls.map(tokensOf)),
    dollars: spent(dollars) + sum(calls.map(dollars)),
  };
}

function callOf(model: string, inputTokens: number): UsageCounts {
  const call = { modelCalls: 1, inputTokens, outputTokens: replyTokens };
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
