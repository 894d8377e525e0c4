import type { RunnableConfig } from "@langchain/core/runnables";
import type { StateSnapshot } from "@langchain/langgraph";
import type { BaseCheckpointSaver, BaseStore } from "@langchain/langgraph-checkpoint";
import { withCheckpointer } from "../../langgraph/guarded-graph.js";
import { ThreadCheckpointer } from "../../threads/runs/index.js";

/** A compiled graph, as a server uses it: one that `createAgent` made, or any other of LangGraph. */
export interface ServedGraph {
  checkpointer?: BaseCheckpointSaver | boolean;
  /** The long-term store that the graph was compiled with. A server gives a graph without one its own. */
  readonly store?: BaseStore | undefined;
  readonly config?: RunnableConfig & { readonly durability?: unknown };
  getName(): string;
  withConfig(config: RunnableConfig): ServedGraph;
  stream(input: unknown, options: object): Promise<AsyncIterable<unknown>>;
  getState(config: RunnableConfig, options?: { readonly subgraphs?: boolean }): Promise<StateSnapshot>;
  getStateHistory(config: RunnableConfig, options?: object): AsyncIterable<StateSnapshot>;
  updateState(config: RunnableConfig, values: unknown, asNode?: string): Promise<RunnableConfig>;
  bulkUpdateState(
    config: RunnableConfig,
    supersteps: { updates: { values?: unknown; asNode?: string }[] }[],
  ): Promise<RunnableConfig>;
  getGraphAsync(options?: { readonly xray?: boolean | number }): Promise<{ toJSON(): unknown }>;
  getSubgraphsAsync(namespace?: string, recurse?: boolean): AsyncIterable<[string, object]>;
}

/** An agent of LangChain's `createAgent`: it has a graph, and is none itself. */
export interface GraphHolder {
  readonly graph: ServedGraph;
}

/**
 * Returns the graph as the server runs it: with the checkpointer of the threads, unless it has one of its own. A graph whose
 * threads are in another place keeps them there.
 */
export function boundGraph(given: ServedGraph | GraphHolder, checkpointer: BaseCheckpointSaver): ServedGraph {
  const graph = "graph" in given ? given.graph : given;
  return typeof graph.checkpointer === "object" ? graph : withCheckpointer<ServedGraph>(graph, checkpointer);
}

/** Tells whether a graph keeps its threads in a database of Glassloop. Only there a run has an identity that survives a crash. */
export function keepsRuns({ checkpointer }: ServedGraph): boolean {
  return checkpointer instanceof ThreadCheckpointer;
}
