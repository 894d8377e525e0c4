import type { Memory } from "../core/parts/memory.js";

/**
 * Makes a memory that keeps every turn (LangChain's ConversationBufferMemory). It is the default memory of an agent.
 */
export function buffer(): Memory {
  return {
    name: "buffer",
    remember: (history, turn) => ({ ...history, turns: [...history.turns, turn] }),
  };
}
