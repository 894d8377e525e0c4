import { z } from "zod";
import { checkedOptions, countOption } from "../base/options.js";
import type { Memory } from "../core/parts/memory.js";

const optionsSchema = z.strictObject({ turns: countOption.default(5) });

/**
 * Makes a memory that keeps the newest turns (LangChain's ConversationBufferWindowMemory).
 *
 * @param turns The number of turns to keep, a positive whole number. Default: 5.
 * @throws InvalidOptionError when `turns` is not such a number, or another option is given.
 */
export function window(options: { turns?: number } = {}): Memory {
  const { turns } = checkedOptions("window", optionsSchema, options);
  return {
    name: "window",
    remember: (history, turn) => ({ ...history, turns: [...history.turns, turn].slice(-turns) }),
  };
}
