import { z } from "zod";
import { checkedOptions, countOption } from "../base/options.js";
import type { Memory } from "./memory.js";

const optionsSchema = z.strictObject({ turns: countOption.default(5) });

/**
 * Keeps the newest turns (LangChain's ConversationBufferWindowMemory).
 *
 * @param turns How many turns to keep, a positive whole number; 5 unless given.
 * @throws InvalidOptionError when `turns` is not one, or another option is given.
 */
export function window(options: { turns?: number } = {}): Memory {
  const { turns } = checkedOptions("window", optionsSchema, options);
  return {
    name: "window",
    remember: (history, turn) => ({ ...history, turns: [...history.turns, turn].slice(-turns) }),
  };
}
