import type { Memory } from "../../memory/memory.js";
import type { MemoryChoice } from "../program/setting-readers.js";

/** Makes the memory that a person named. */
export async function loadMemory({ kind, size }: MemoryChoice): Promise<Memory> {
  const { buffer, summary, tokenBudget, window } = await import("../../memory/index.js");
  const turns = size === undefined ? {} : { turns: size };
  switch (kind) {
    case "buffer":
      return buffer();
    case "window":
      return window(turns);
    case "summary":
      return summary(turns);
    case "tokens":
      return tokenBudget({ tokens: size });
  }
}
