import type { Memory } from "./memory.js";

/** Keeps every turn (LangChain's ConversationBufferMemory). The default memory of an agent. */
export function buffer(): Memory {
  return {
    name: "buffer",
    remember: (history, turn) => ({ ...history, turns: [...history.turns, turn] }),
  };
}
