import { positiveInteger } from "../options.js";
import type { Memory } from "./memory.js";

/**
 * Keeps the newest turns (LangChain's ConversationBufferWindowMemory).
 *
 * @param turns How many turns to keep, a positive whole number; 5 unless given.
 * @throws InvalidOptionError when `turns` is not one.
 */
export function window({ turns = 5 }: { turns?: number } = {}): Memory {
  positiveInteger("window({ turns })", turns);
  return {
    name: "window",
    remember: (history, turn) => ({ ...history, turns: [...history.turns, turn].slice(-turns) }),
  };
}
