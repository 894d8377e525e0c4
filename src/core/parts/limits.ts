import type { RunView } from "../run/run-view.js";
import type { UsageCounts } from "../state/usage.js";

/**
 * A condition of your own for the end of a turn. It is asked before each model call. It returns true to end the turn. It may
 * also return the reason as a part of a sentence, such as `"three sources were found"`.
 */
export type StopCondition<Context = Record<string, unknown>> = (
  run: RunView<Context>,
) => boolean | string | Promise<boolean | string>;

/** The limits of a turn. The state has the cost so far, so that a limit holds on a thread that is resumed. */
export interface Limits {
  readonly steps: StepLimits;
  readonly cost: CostLimits;
  readonly time: TimeLimits;
  readonly stopWhen: readonly StopCondition[];
  /** True if a turn ends at a limit with a sentence. Otherwise the model is asked once more. */
  readonly isForced: boolean;
}

/** The limits on the steps of a turn. They may be infinite. */
export interface StepLimits {
  readonly maxSteps: number;
  readonly maxUnreadable: number;
  /** Returns the largest number of calls of a tool. */
  maxToolCalls(tool: string): number;
  readonly maxParallelCalls: number;
}

/** The limits on what a turn costs. They may be infinite. */
export interface CostLimits {
  readonly maxModelCalls: number;
  readonly maxTokens: number;
  readonly maxDollars: number;
  /** Returns the US dollars that model calls cost. */
  dollars(usage: UsageCounts): number;
}

/** The limits on the time of a turn and of a tool call, in milliseconds. */
export interface TimeLimits {
  readonly maxTurnMs: number;
  readonly toolTimeoutMs: number;
}
