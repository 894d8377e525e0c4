import type { PromptWriter } from "./written-again.js";

/** The writers of agents. LangGraph's `withConfig` copies a graph, and its builder stays the same. */
const writers = new WeakMap<object, PromptWriter>();

interface Graph {
  readonly builder: object;
}

export function keepPromptWriter({ builder }: Graph, writer: PromptWriter): void {
  writers.set(builder, writer);
}

/** Returns what an agent adds to the prompts of its threads. */
export function promptWriterOf({ builder }: Graph): PromptWriter {
  return writers.get(builder) ?? { protocols: [], hasHook: false };
}
