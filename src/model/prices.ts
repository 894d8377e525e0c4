import { calcPrice, type ModelPrice as ListPrice } from "@pydantic/genai-prices";
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

/** The rules of "offline" cost nothing. */
const free: Readonly<Record<string, ModelPrice>> = { "glassloop-offline-rules": { input: 0, output: 0 } };

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
 * Works out what a turn or a thread cost, by your prices and by the list prices of the installed version of
 * `@pydantic/genai-prices`. A list price is found by the name of the model, and is that of this moment. One that depends on the
 * length of a prompt is that of the mean prompt. A name with a tag, such as `qwen3:8b`, has none.
 *
 * @param usage The `usage.turn` or `usage.thread` of a state or of a `turn-end`.
 * @param prices The prices by the names of the models. They come before the list prices. A name also stands for the dated
 *   versions of the model: `gpt-4o` for `gpt-4o-2024-08-06`.
 * @throws InvalidOptionError when a price is not a number of at least 0.
 * @example
 * const { dollars, unpriced } = costOf(state.usage.turn, { "my-model": { input: 0.1, output: 0.2 } });
 */
export function costOf(usage: UsageCounts, prices: Readonly<Record<string, ModelPrice>> = {}): Cost {
  const own = checkedOption("prices", pricesSchema, prices);
  const priced = Object.entries(usage.models).map(([name, spent]) => {
    const promptTokens = spent.inputTokens / Math.max(1, spent.modelCalls);
    return { name, spent, price: priceOf(name, own, promptTokens) };
  });
  return {
    dollars: priced.reduce((total, { spent, price }) => total + (price ? dollarsFor(spent, price) : 0), 0),
    unpriced: priced.filter(({ price }) => price === undefined).map(({ name }) => name),
    isEstimate: (usage.estimatedTokens ?? 0) > 0,
  };
}

/** Finds the price of a model, also of a dated version; undefined if it is not known. */
export function priceOf(
  model: string,
  prices: Readonly<Record<string, ModelPrice>> = {},
  promptTokens = 0,
): ModelPrice | undefined {
  const whole = model.replace(/#\d+$/, "");
  const bare = whole.replace(/^.*\//, "");
  const names = [whole, bare, bare.replace(/-(?:\d{4}-\d\d-\d\d|\d{8}|latest)$/, "")];
  const known = { ...free, ...prices };
  const own = [model, ...names].map((name) => known[name]).find((price) => price !== undefined);
  // Ollama runs models of these names on a computer of one's own.
  if (own || whole.includes(":")) return own;
  return names.map((name) => listPrice(name, promptTokens)).find((price) => price !== undefined);
}

/** The models of Groq have names of other providers. */
const groq = { providerId: "groq" };

function listPrice(name: string, promptTokens: number): ModelPrice | undefined {
  const found = (calcPrice({}, name, groq) ?? calcPrice({}, name))?.model_price;
  const at = (key: string) => priceFor(found?.[key], promptTokens);
  const [input, output] = [at("input_mtok"), at("output_mtok")];
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    cacheRead: at("cache_read_mtok"),
    cacheWrite: at("cache_write_mtok"),
    audioInput: at("input_audio_mtok"),
    audioOutput: at("output_audio_mtok"),
  };
}

/** Some prices are higher for long prompts. */
function priceFor(price: ListPrice[string], promptTokens: number): number | undefined {
  if (typeof price !== "object") return price;
  return price.tiers.findLast(({ start }) => promptTokens > start)?.price ?? price.base;
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
