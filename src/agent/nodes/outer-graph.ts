import type { RunnableConfig } from "@langchain/core/runnables";

/** Tells whether a node's graph runs as a node of an outer graph. LangGraph then keeps its checkpoints below that node. */
export function isInOuterGraph({ configurable }: RunnableConfig): boolean {
  const path: unknown = configurable?.checkpoint_ns;
  return typeof path === "string" && path.includes("|");
}
