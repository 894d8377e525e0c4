import type { UsageCounts } from "../../core/state/usage.js";
import type { RunView } from "../run-view.js";

/**
 * A condition of your own for the end of a turn. Called before each model call. Return true to end the turn, or the reason as
 * a part of a sentence, such as `"three sources were found"`.
 */
export type StopCondition<Context = Record<string, unknown>> = (
  run: RunView<Context>,
) => boolean | string | Promise<boolean | string>;

/** The largest number of steps in a turn, if the options name none. The same as in LangChain's AgentExecutor. */
export const defaultMaxSteps = 15;

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
  /**
   * The number of unusable replies in a row (unreadable, or answers that do not fit `output`) that ends a turn, at least 1.
   * Three equal ones always end the turn. Default: 3.
   */
  readonly maxUnreadable: number;
  /** Returns the largest number of calls of a tool. */
  maxToolCalls(tool: string): number;
  /** The largest number of tool calls in one reply. The model is asked to make fewer. Default: 32. */
  readonly maxParallelCalls: number;
}

/** The limits on what a turn costs. They may be infinite. */
export interface CostLimits {
  /**
   * The largest number of model calls in a turn, including calls of agents in its tools. Default: none, as steps are limited.
   */
  readonly maxModelCalls: number;
  /**
   * The largest number of tokens in a turn, of prompts and replies, including agents in its tools. The next call is
   * estimated, so a long reply may exceed the limit a little. Default: none.
   */
  readonly maxTokens: number;
  /**
   * The largest cost of a turn in US dollars, by `prices` and list prices. A model without a price is an error.
   * Default: none.
   */
  readonly maxDollars: number;
  /** Returns the US dollars that model calls cost. */
  dollars(usage: UsageCounts): number;
}

/** The limits on the time of a turn and of a tool call, in milliseconds. */
export interface TimeLimits {
  /**
   * The longest time of a turn, in milliseconds. The time of its runs counts, from their start to their end: a turn that waits
   * for a person has no run. A model call or a tool that takes longer is stopped. Default: 3600000 (an hour).
   */
  readonly maxTurnMs: number;
  /**
   * The longest time of a tool call, in milliseconds. The model is then told that the tool did not return. Mark a tool with
   * `metadata: { timeoutMs: … }` for a time of its own. Default: 300000 (five minutes).
   */
  readonly toolTimeoutMs: number;
}
