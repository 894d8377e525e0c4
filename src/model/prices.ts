import { z } from "zod";
import { checkedOption, give } from "../base/options.js";
import type { ModelUsage, UsageCounts } from "../core/state/usage.js";

/** The price of a model, in US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** The price of input that the provider read from its cache. Default: that of other input. */
  readonly cacheRead?: number;
  /** The price of input that the provider wrote to its cache. Default: that of other input. */
  readonly cacheWrite?: number;
  /** The prices of audio. Default: those of other input and output. */
  readonly audioInput?: number;
  readonly audioOutput?: number;
}

/**
 * The list prices of some models, as their providers told them in August 2025. Prices change: give your own to
 * {@link costOf} if they matter.
 */
export const modelPrices: Readonly<Record<string, ModelPrice>> = {
  "gpt-4o": { input: 2.5, output: 10, cacheRead: 1.25 },
  "gpt-4o-mini": { input: 0.15, output: 0.6, cacheRead: 0.075 },
  "gpt-4.1": { input: 2, output: 8, cacheRead: 0.5 },
  "gpt-4.1-mini": { input: 0.4, output: 1.6, cacheRead: 0.1 },
  "gpt-4.1-nano": { input: 0.1, output: 0.4, cacheRead: 0.025 },
  o3: { input: 2, output: 8, cacheRead: 0.5 },
  "o4-mini": { input: 1.1, output: 4.4, cacheRead: 0.275 },
  "gpt-5": { input: 1.25, output: 10, cacheRead: 0.125 },
  "gpt-5-mini": { input: 0.25, output: 2, cacheRead: 0.025 },
  "gpt-5-nano": { input: 0.05, output: 0.4, cacheRead: 0.005 },
  "claude-opus-4": { input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75 },
  "claude-sonnet-4": { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  "claude-3-5-haiku": { input: 0.8, output: 4, cacheRead: 0.08, cacheWrite: 1 },
  "gemini-2.5-pro": { input: 1.25, output: 10, cacheRead: 0.31 },
  "gemini-2.5-flash": { input: 0.3, output: 2.5, cacheRead: 0.075 },
  // The rules of "offline" cost nothing.
  "glassloop-offline-rules": { input: 0, output: 0 },
};

/** What a turn or a thread cost. */
export interface Cost {
  /** The US dollars for the models with a price. */
  readonly dollars: number;
  /** The names of the models without a price. They are not in `dollars`. */
  readonly unpriced: readonly string[];
  /** True if some tokens were estimated. */
  readonly isEstimate: boolean;
}

const price = z.number(give("a number of dollars")).min(0, give("a number of dollars of at least 0"));
/** The schema of prices by the names of the models. */
export const pricesSchema = z.record(
  z.string(),
  z.strictObject({
    input: price,
    output: price,
    cacheRead: price.optional(),
    cacheWrite: price.optional(),
    audioInput: price.optional(),
    audioOutput: price.optional(),
  }),
);

/**
 * Works out what a turn or a thread cost.
 *
 * @param usage The `usage.turn` or `usage.thread` of a state or of a `turn-end`.
 * @param prices The prices by the names of the models. They come before those of {@link modelPrices}. A name also stands
 *   for the dated versions of the model: `gpt-4o` for `gpt-4o-2024-08-06`.
 * @throws InvalidOptionError when a price is not a number of at least 0.
 * @example
 * const { dollars, unpriced } = costOf(state.usage.turn, { "my-model": { input: 0.1, output: 0.2 } });
 */
export function costOf(usage: UsageCounts, prices: Readonly<Record<string, ModelPrice>> = {}): Cost {
  const known = { ...modelPrices, ...checkedOption("prices", pricesSchema, prices) };
  const priced = Object.entries(usage.models).map(([name, spent]) => ({ name, spent, price: priceOf(name, known) }));
  return {
    dollars: priced.reduce((total, { spent, price }) => total + (price ? dollarsFor(spent, price) : 0), 0),
    unpriced: priced.filter(({ price }) => price === undefined).map(({ name }) => name),
    isEstimate: (usage.estimatedTokens ?? 0) > 0,
  };
}

/** Finds the price of a model, also of a dated version; undefined if it is not known. */
export function priceOf(model: string, prices = modelPrices): ModelPrice | undefined {
  const name = model.replace(/#\d+$/, "").replace(/^.*\//, "");
  return prices[model] ?? prices[name] ?? prices[name.replace(/-(?:\d{4}-\d\d-\d\d|\d{8}|latest)$/, "")];
}

function dollarsFor(spent: ModelUsage, price: ModelPrice): number {
  const { cacheReadTokens = 0, cacheWriteTokens = 0, audioInputTokens = 0, audioOutputTokens = 0 } = spent;
  const input = spent.inputTokens - cacheReadTokens - cacheWriteTokens - audioInputTokens;
  const total =
    input * price.input +
    cacheReadTokens * (price.cacheRead ?? price.input) +
    cacheWriteTokens * (price.cacheWrite ?? price.input) +
    audioInputTokens * (price.audioInput ?? price.input) +
    (spent.outputTokens - audioOutputTokens) * price.output +
    audioOutputTokens * (price.audioOutput ?? price.output);
  return total / 1_000_000;
}
