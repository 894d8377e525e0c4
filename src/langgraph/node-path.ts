import type { RunnableConfig } from "@langchain/core/runnables";
import { READ_KEY } from "./names.js";

/**
 * Tells whether a graph with this configurable runs inside a node of another graph. (If the node calls the inner graph
 * directly, the two have the same `checkpoint_ns`.)
 */
export function isNested(configurable: Readonly<Record<string, unknown>>): boolean {
  return configurable[READ_KEY] !== undefined;
}

/** Returns the names of the nodes that lead to a place, from the outermost graph on. */
export function nodesIn(config: RunnableConfig): string[] {
  return partsOf(config).map((part) => part.replace(/:.*/, ""));
}

/** Tells whether a node's graph runs as a node of an outer graph. LangGraph then keeps its checkpoints below that node. */
export function isInOuterGraph(config: RunnableConfig): boolean {
  return partsOf(config).length > 1;
}

/**
 * Tells whether a node's graph can hand over to the graph around it. LangGraph finds that graph by the path of the run. A
 * graph with a memory of its own (`checkpointer: true`) is not on that path.
 */
export function canHandOver(config: RunnableConfig): boolean {
  return partsOf(config).at(-2)?.includes(":") ?? false;
}

/**
 * Returns the parts of LangGraph's path: `node:task` for each node, divided by `|`. A number there stands for one of several
 * calls in a node.
 */
function partsOf({ configurable }: RunnableConfig): string[] {
  const path: unknown = configurable?.checkpoint_ns;
  return typeof path === "string" ? path.split("|").filter((part) => !/^\d*$/.test(part)) : [];
}

/** Returns the parts of a `checkpoint_ns`: one for each graph around a task, outermost first. */
export function namespaceParts(namespace: string): string[] {
  return namespace.split("|");
}
