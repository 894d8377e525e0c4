import { z } from "zod";
import { checkedOptions, countOption } from "../base/options.js";
import type { Memory } from "../core/parts/memory.js";
import { type StepsOption, stepsOption } from "./steps-option.js";

const optionsSchema = z.strictObject({ turns: countOption.default(5), steps: stepsOption });

/**
 * Makes a memory that keeps the newest turns (LangChain's ConversationBufferWindowMemory). Each dropped turn changes the
 * beginning of the prompt, and the provider's prompt cache misses. {@link tokenBudget} drops several turns at once.
 *
 * @param turns The number of turns to keep, a positive whole number. Default: 5.
 * @param steps The number of newest turns to show with their steps. Default: all with native calls, none in a text protocol.
 * @throws InvalidOptionError when an option is no such number, or another option is given.
 */
export function window(options: { readonly turns?: number } & StepsOption = {}): Memory {
  const { turns, ...shown } = checkedOptions("window", optionsSchema, options);
  return {
    name: "window",
    remember: (history) => ({ ...history, ...shown, turns: history.turns.slice(-turns) }),
  };
}
