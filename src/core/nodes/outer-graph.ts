import type { RunnableConfig } from "@langchain/core/runnables";

/** Tells whether a node's graph runs as a node of an outer graph. LangGraph then keeps its checkpoints below that node. */
export function isInOuterGraph({ configurable }: RunnableConfig): boolean {
  const path: unknown = configurable?.checkpoint_ns;
  return typeof path === "string" && path.includes("|");
}

/**
 * Tells whether a node's graph can hand over to the graph around it. LangGraph finds that graph by the path of the run. A
 * graph with a thread of its own there (`checkpointer: true`) is not on that path.
 */
export function canHandOver({ configurable }: RunnableConfig): boolean {
  const path: unknown = configurable?.checkpoint_ns;
  if (typeof path !== "string") return false;
  // A number stands for one of several calls in a node.
  const nodes = path.split("|").filter((name) => !/^\d+$/.test(name));
  return nodes.at(-2)?.includes(":") ?? false;
}
