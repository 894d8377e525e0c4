import { z } from "zod";
import { checkedOptions, countOption, give } from "../base/options.js";
import { estimateTokens } from "../content/estimated-tokens.js";
import type { Memory } from "../core/parts/memory.js";
import { renderChatHistory } from "../prompts/chat-history-text.js";
import { type StepsOption, stepsOption } from "./steps-option.js";

const optionsSchema = z.strictObject({
  tokens: countOption,
  count: z
    .custom<(text: string) => number>(
      (value) => typeof value === "function",
      give("a function that counts the tokens of a text"),
    )
    .default(() => estimateTokens),
  steps: stepsOption,
});

/**
 * The part of the budget that is full after turns were dropped. The free rest lets the beginning of prompts change only now
 * and then.
 */
const fullAfterDrop = 0.75;

/**
 * Makes a memory that keeps as many of the newest turns as fit in a number of tokens (LangChain's
 * ConversationTokenBufferMemory). When they do not fit any more it drops the oldest turns, as a whole, until a quarter of the budget
 * is free. Between two drops the beginning of the prompt stays the same, so a provider's cache hits.
 *
 * @param tokens The largest number of tokens in all kept turns together, with the steps that are shown, a positive whole number.
 * @param count Counts the tokens of a text. Default: one token for four bytes of UTF-8. Give the tokenizer of your model
 *   if the budget is tight.
 * @param steps The number of newest turns to show with their steps. Default: all with native calls, none in a text protocol.
 * @throws InvalidOptionError when `tokens` is not a positive whole number, or another option is wrong.
 */
export function tokenBudget(
  options: { readonly tokens: number; readonly count?: (text: string) => number } & StepsOption,
): Memory {
  const { tokens, count, ...shown } = checkedOptions("tokenBudget", optionsSchema, options);
  return {
    name: "token-budget",
    remember(history, { stepsOf }) {
      const dropped = history.turns.findIndex(({ end }) => end === history.upTo) + 1;
      const kept = history.turns.slice(dropped);
      const sizes = kept.map((turn, n) => {
        const isBare = shown.steps !== undefined && n < kept.length - shown.steps;
        return count(renderChatHistory({ summary: "", turns: [isBare ? turn : { ...turn, steps: stepsOf(turn) }] }));
      });
      const isFull = sizes.reduce((sum, size) => sum + size, 0) > tokens;
      const turns = isFull ? kept.slice(firstWithin(tokens * fullAfterDrop, tokens, sizes)) : kept;
      return { ...history, ...shown, turns };
    },
  };
}

/** Returns the index of the first turn of the newest ones that fit. The newest turn alone may fill the whole budget. */
function firstWithin(tokens: number, most: number, sizes: readonly number[]): number {
  let left = tokens;
  let first = sizes.length;
  for (const size of sizes.toReversed()) {
    left -= size;
    const fits = first === sizes.length ? size <= most : left >= 0;
    if (!fits) break;
    first -= 1;
  }
  return first;
}
