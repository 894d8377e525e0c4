import { z } from "zod";
import { InvalidOptionError } from "../base/errors.js";
import { countOption, give, oneOf } from "../base/options.js";
import type { UsageCounts } from "../core/state/usage.js";
import {
  type CostLimits,
  defaultMaxSteps,
  type Limits,
  type StepLimits,
  type StopCondition,
  type TimeLimits,
} from "../middleware/limits/limit-values.js";
import { type ForRun, isFunction } from "../middleware/run-view.js";
import { costOf, type ModelPrice, pricesSchema } from "../model/prices.js";
import { forRun } from "./for-run.js";

/** The limits of a turn. Its state has the cost so far, so that a limit holds on a thread that is resumed. */
export interface TurnLimits<Context = Record<string, unknown>>
  extends Partial<Pick<StepLimits, "maxUnreadable" | "maxParallelCalls">>,
    Partial<Omit<CostLimits, "dollars">>,
    Partial<TimeLimits> {
  /**
   * The largest number of steps in a turn, at least 1. A step is a reply that asks for a tool or cannot be read.
   * Default: 15.
   */
  maxSteps?: ForRun<number, Context>;
  /** The prices of models for `maxDollars`, by their names. They come before the list prices of {@link costOf}. */
  prices?: Readonly<Record<string, ModelPrice>>;
  /** The largest number of calls of one tool in a turn: one number for all tools, or by their names. Default: none. */
  maxToolCalls?: number | Readonly<Record<string, number>>;
  /**
   * The largest number of characters of an observation that a prompt shows, at least 1. A longer observation is shown by its
   * head and its tail. The thread keeps all of it, and the tool `readObservation()` reads the rest. Default: what the model
   * has room for.
   */
  maxObservationCharacters?: number;
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

/** The longest time of a turn, in milliseconds, if the options name none. */
export const defaultTurnMs = 3_600_000;

/** The schema of the limits of a turn. */
export const turnLimitsSchema = z.strictObject(
  {
    maxSteps: forRun(countOption).optional(),
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
    maxObservationCharacters: countOption.optional(),
    earlyStopping: oneOf(["generate", "force"]).optional(),
  },
  give("an object of limits, such as { maxSteps: 5 }"),
);

/** Returns the limits with their defaults. */
export function fixedLimits(maxSteps: number, limits: TurnLimits): Limits {
  const { maxToolCalls = Infinity, stopWhen = [], prices } = limits;
  return {
    steps: {
      maxSteps,
      maxUnreadable: limits.maxUnreadable ?? 3,
      maxToolCalls: (tool) => (typeof maxToolCalls === "number" ? maxToolCalls : (maxToolCalls[tool] ?? Infinity)),
      maxParallelCalls: limits.maxParallelCalls ?? 32,
    },
    cost: {
      maxModelCalls: limits.maxModelCalls ?? Infinity,
      maxTokens: limits.maxTokens ?? Infinity,
      maxDollars: limits.maxDollars ?? Infinity,
      dollars: (usage) => pricedCost(usage, prices),
    },
    time: { maxTurnMs: limits.maxTurnMs ?? defaultTurnMs, toolTimeoutMs: limits.toolTimeoutMs ?? 300_000 },
    stopWhen: [stopWhen].flat(),
    isForced: limits.earlyStopping === "force",
  };
}

/** Returns the limits that are in force in each run, as data. One that is not there, or that a function decides, is left out. */
export function knownLimits({ maxSteps = defaultMaxSteps, prices, stopWhen, ...given }: TurnLimits = {}) {
  const { steps, time, isForced } = fixedLimits(0, given);
  const { maxUnreadable, maxParallelCalls } = steps;
  const earlyStopping = isForced ? ("force" as const) : ("generate" as const);
  return {
    ...given,
    ...(!isFunction(maxSteps) && { maxSteps }),
    maxUnreadable,
    maxParallelCalls,
    ...time,
    earlyStopping,
  };
}

function pricedCost(usage: UsageCounts, prices: TurnLimits["prices"]): number {
  const { dollars, unpriced } = costOf(usage, prices);
  const [model] = unpriced;
  if (model === undefined) return dollars;
  throw new InvalidOptionError(
    "limits.maxDollars",
    `the price of the model "${model}" is not known; give dollars for a million tokens with limits.prices: { "${model}": { input: …, output: … } }.`,
  );
}
