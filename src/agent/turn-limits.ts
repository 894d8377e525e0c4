import { z } from "zod";
import { InvalidOptionError } from "../base/errors.js";
import { countOption, give, oneOf } from "../base/options.js";
import type { Limits, StopCondition } from "../core/parts/limits.js";
import type { Timeouts } from "../core/parts/models.js";
import type { ForRun } from "../core/run/run-view.js";
import type { UsageCounts } from "../core/state/usage.js";
import { costOf, type ModelPrice, pricesSchema } from "../model/prices.js";

/** The limits of a turn. Its state has the cost so far, so that a limit holds on a thread that is resumed. */
export interface TurnLimits<Context = Record<string, unknown>> {
  /**
   * The largest number of steps in a turn, at least 1. A step is a reply that asks for a tool or cannot be read.
   * Default: 15.
   */
  maxSteps?: ForRun<number, Context>;
  /**
   * The number of unusable replies in a row that ends a turn, at least 1. They are unreadable, or answers that do not fit
   * `output`. Default: 3.
   */
  maxUnreadable?: number;
  /**
   * The longest time of a turn, in milliseconds. Only the time in which its nodes work counts: a turn that waits for a person
   * does not work. A model call or a tool that takes longer is stopped. Default: 3600000 (an hour).
   */
  maxTurnMs?: number;
  /** The largest number of model calls in a turn, those of agents in its tools too. Default: none, as steps are limited. */
  maxModelCalls?: number;
  /**
   * The largest number of tokens in a turn, of prompts and replies, those of agents in its tools too. The next call is
   * estimated, so that a long reply may go a little beyond the limit. Default: none.
   */
  maxTokens?: number;
  /**
   * The largest cost of a turn in US dollars, by {@link modelPrices} and `prices`. A model without a price is an error.
   * Default: none.
   */
  maxDollars?: number;
  /** The prices of models for `maxDollars`, by their names. They come before those of {@link modelPrices}. */
  prices?: Readonly<Record<string, ModelPrice>>;
  /** The largest number of calls of one tool in a turn: one number for all tools, or by their names. Default: none. */
  maxToolCalls?: number | Readonly<Record<string, number>>;
  /** The largest number of tool calls in one reply. The model is asked to make fewer. Default: 32. */
  maxParallelCalls?: number;
  /**
   * The longest time of a tool call, in milliseconds. The model is then told that the tool did not return. Mark a tool with
   * `metadata: { timeoutMs: … }` for a time of its own. Default: 300000 (five minutes).
   */
  toolTimeoutMs?: number;
  /** Conditions of your own. See {@link StopCondition}. */
  stopWhen?: StopCondition<Context> | readonly StopCondition<Context>[];
  /**
   * The answer at a limit. Default: `"generate"`.
   *
   * - `"generate"` asks the model once more, without tools, for the best answer from what was observed. The limits leave room
   *   for this call. If there is no room, or no answer comes, the answer is that of `"force"`.
   * - `"force"` gives a sentence that says why the turn ended.
   *
   * The names are those of LangChain's AgentExecutor.
   */
  earlyStopping?: "generate" | "force";
}

const limitSchema = z.number(give("a number above 0")).positive(give("a number above 0"));
const condition = z.custom((value) => typeof value === "function", give("a function, or a list of functions"));

/** The schemas of the limits that are no functions of the run. */
export const turnLimitsShape = {
  maxUnreadable: countOption.optional(),
  maxTurnMs: countOption.optional(),
  maxModelCalls: countOption.optional(),
  maxTokens: countOption.optional(),
  maxDollars: limitSchema.optional(),
  prices: pricesSchema.optional(),
  maxToolCalls: z
    .union([countOption, z.record(z.string(), countOption)], give("a number, or one for each tool"))
    .optional(),
  maxParallelCalls: countOption.optional(),
  toolTimeoutMs: countOption.optional(),
  stopWhen: z.union([condition, z.array(condition)], give("a function, or a list of functions")).optional(),
  earlyStopping: oneOf(["generate", "force"]).optional(),
};

/** Returns the limits with their defaults. */
export function fixedLimits(maxSteps: number, options: TurnLimits): Limits {
  const { maxToolCalls = Infinity, stopWhen = [], prices } = options;
  return {
    steps: {
      maxSteps,
      maxUnreadable: options.maxUnreadable ?? 3,
      maxToolCalls: (tool) => (typeof maxToolCalls === "number" ? maxToolCalls : (maxToolCalls[tool] ?? Infinity)),
      maxParallelCalls: options.maxParallelCalls ?? 32,
    },
    cost: {
      maxModelCalls: options.maxModelCalls ?? Infinity,
      maxTokens: options.maxTokens ?? Infinity,
      maxDollars: options.maxDollars ?? Infinity,
      dollars: (usage) => pricedCost(usage, prices),
    },
    time: { maxTurnMs: options.maxTurnMs ?? 3_600_000, toolTimeoutMs: options.toolTimeoutMs ?? 300_000 },
    stopWhen: [stopWhen].flat(),
    isForced: options.earlyStopping === "force",
  };
}

function pricedCost(usage: UsageCounts, prices: TurnLimits["prices"]): number {
  const { dollars, unpriced } = costOf(usage, prices);
  const [model] = unpriced;
  if (model === undefined) return dollars;
  throw new InvalidOptionError(
    "maxDollars",
    `the price of the model "${model}" is not known; give it with prices: { "${model}": { input: …, output: … } }.`,
  );
}

export const timeoutsSchema = z.strictObject({
  firstTokenMs: countOption.optional(),
  betweenTokensMs: countOption.optional(),
  totalMs: countOption.optional(),
});

/** Returns the time limits of a model call with their defaults. */
export function fixedTimeouts({
  firstTokenMs = 120_000,
  betweenTokensMs = 60_000,
  totalMs = 600_000,
}: Timeouts = {}): Required<Timeouts> {
  return { firstTokenMs, betweenTokensMs, totalMs };
}
