import { z } from "zod";
import { checkedOptions, countOption, give } from "../base/options.js";
import { estimateTokens } from "../core/model/tokens.js";
import type { Memory } from "../core/parts/memory.js";
import type { ChatTurn } from "../core/state/chat-history.js";
import { renderChatHistory } from "../core/state/chat-history.js";

const optionsSchema = z.strictObject({
  tokens: countOption,
  count: z
    .custom<(text: string) => number>(
      (value) => typeof value === "function",
      give("a function that counts the tokens of a text"),
    )
    .default(() => estimateTokens),
});

/**
 * Makes a memory that keeps as many of the newest turns as fit in a number of tokens (LangChain's
 * ConversationTokenBufferMemory). It drops a turn as a whole if it does not fit.
 *
 * @param tokens The largest number of tokens in all kept turns together, a positive whole number.
 * @param count Counts the tokens of a text. Default: one token for four bytes of UTF-8. Give the tokenizer of your model
 *   if the budget is tight.
 * @throws InvalidOptionError when `tokens` is not a positive whole number, or another option is wrong.
 */
export function tokenBudget(options: { tokens: number; count?: (text: string) => number }): Memory {
  const { tokens, count } = checkedOptions("tokenBudget", optionsSchema, options);
  return {
    name: "token-budget",
    remember: (history, turn) => ({ ...history, turns: newestWithin(tokens, [...history.turns, turn], count) }),
  };
}

function newestWithin(tokens: number, turns: ChatTurn[], count: (text: string) => number): ChatTurn[] {
  let left = tokens;
  let first = turns.length;
  for (const turn of turns.toReversed()) {
    left -= count(renderChatHistory({ summary: "", turns: [turn] }));
    if (left < 0) break;
    first -= 1;
  }
  return turns.slice(first);
}
