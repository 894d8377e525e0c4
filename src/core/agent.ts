import type { RunnableToolLike } from "@langchain/core/runnables";
import type { InteropZodType } from "@langchain/core/utils/types";
import {
  type CommandInstance,
  type CompiledStateGraph,
  END,
  type LangGraphRunnableConfig,
  type Messages,
  type Pregel,
  START,
} from "@langchain/langgraph";
import type { z } from "zod";
import { DirectRunnable } from "../langgraph/direct-runnable.js";
import { compileAgent, emptyGraph, nodeOf } from "./graph/compile-agent.js";
import type { NodeName } from "./graph/node-names.js";
import { recursionLimit } from "./graph/recursion-limit.js";
import { act } from "./nodes/act.js";
import { parse } from "./nodes/parse.js";
import { plan } from "./nodes/plan.js";
import { rephraseQuestion } from "./nodes/rephrase-question.js";
import type { AgentParts, RunParts } from "./parts/agent-parts.js";
import type { GraphOptions } from "./parts/graph-options.js";
import type { Plugin } from "./parts/plugin.js";
import * as seams from "./seams/seams.js";
import type { Decision } from "./state/decision.js";
import type { AgentState, AgentStateUpdate, AgentStateValues } from "./state/state.js";
import type { TurnInput } from "./state/turn-input.js";

/** The next edge of a turn after `parse`. Each kind of decision has its own edge. */
export const afterParse = new DirectRunnable(
  "afterParse",
  ({ decision }: Pick<AgentStateUpdate, "decision">): Decision["kind"] => {
    if (!decision) throw new Error("parse always leaves a decision");
    return decision.kind;
  },
);

/**
 * The next edge of a turn after a node that may end it. A turn ends when a tool gave the answer, when a hook ended it, or if it had
 * ended before. Otherwise it goes on with what was observed.
 */
export const afterAct = new DirectRunnable(
  "afterAct",
  ({ stopReason }: Pick<AgentStateUpdate, "stopReason">): "observed" | "returned" =>
    stopReason ? "returned" : "observed",
);

/** Tells whether a hook may end a turn before its reply. */
export function endsEarly(plugins: readonly Plugin[]): boolean {
  return seams.hasHook(plugins, "beforeAgent", "beforeModel");
}

/** Adds the edge after a node in which a hook may end the turn. */
export function addEdgeOrEnd(
  graph: Pick<ReturnType<typeof emptyGraph>, "addEdge" | "addConditionalEdges">,
  plugins: readonly Plugin[],
  from: NodeName,
  to: NodeName,
): void {
  if (endsEarly(plugins)) graph.addConditionalEdges(from, afterAct, { observed: to, returned: END });
  else graph.addEdge(from, to);
}

/**
 * Makes the graph of an agent: it plans, it parses the reply, it acts, until there is an answer. The graph has a guard, through
 * which `invoke` and `stream` come (`RunGuard`).
 */
export function agentGraph(parts: AgentParts | RunParts, options: GraphOptions = {}): Agent {
  const { plugins } = parts;
  const parsing = nodeOf("parse", parts, parse);
  const asks = seams.hasHook(plugins, "afterModel", "afterAgent");
  const graph = emptyGraph(options, plugins)
    .addNode("rephrase-question", nodeOf("rephrase-question", parts, rephraseQuestion))
    .addNode("plan", nodeOf("plan", parts, plan))
    // A hook may ask a person, for which LangGraph wraps the node.
    .addNode("parse", asks ? parsing : new DirectRunnable("parse", parsing))
    .addNode("act", nodeOf("act", parts, act))
    .addEdge(START, "rephrase-question");
  addEdgeOrEnd(graph, plugins, "rephrase-question", "plan");
  addEdgeOrEnd(graph, plugins, "plan", "parse");
  graph
    .addConditionalEdges("parse", afterParse, { action: "act", unparseable: "plan", finish: END })
    .addConditionalEdges("act", afterAct, { observed: "plan", returned: END });
  return compileAgent(graph, parts, options, recursionLimit(seams.mostSteps(plugins)));
}

/** What a turn is asked, with values for channels of middleware. LangGraph's `Command` has the answers that a turn waits for. */
export type AgentInput =
  | { messages: Messages; readonly [channel: string]: unknown }
  | CommandInstance<unknown, AgentStateUpdate, NodeName>;

/** The state at the end of a turn. `Output` is the type of what fits the output of the agent. */
export interface TurnResult<Output = unknown> extends AgentStateValues {
  output: Output | null;
}

/** The ways to run an agent, with the types of its output and of its context. */
export type AgentRuns<Output, Context extends Record<string, unknown>> = Pregel<
  Agent["nodes"],
  Agent["channels"],
  Context,
  AgentInput,
  TurnResult<Output>,
  AgentStateUpdate,
  TurnResult<Output>,
  Agent["~NodeReturnType"],
  never
>;

/**
 * An agent: a compiled LangGraph graph. `Output` is the type of what fits its output, and `Context` the type of what its runs
 * are given with `context`.
 */
export interface Agent<Output = unknown, Context extends Record<string, unknown> = Record<string, unknown>>
  extends CompiledStateGraph<
    AgentStateValues,
    AgentStateUpdate,
    NodeName,
    typeof TurnInput,
    typeof AgentState,
    z.ZodObject,
    Partial<Record<NodeName, AgentStateUpdate>>
  > {
  /** Runs a turn, and returns the state at its end. The input null continues a turn that stopped. */
  invoke: AgentRuns<Output, Context>["invoke"];
  /** Runs a turn, and yields what the `streamMode` asks for. `streamTurn` yields events with types instead. */
  stream: AgentRuns<Output, Context>["stream"];
  /** Runs a turn, and yields the events of LangChain's runnables. */
  streamEvents: AgentRuns<Output, Context>["streamEvents"];
  /** Runs several turns, on threads of their own. */
  batch: AgentRuns<Output, Context>["batch"];
  /** Makes a tool of the agent. Without a schema it takes one question. */
  asTool: AgentRuns<Output, Context>["asTool"] &
    ((fields?: { name?: string; description?: string }) => RunnableToolLike<InteropZodType, TurnResult<Output>>);
}

/** The LangGraph config of a run: thread, abort signal, callbacks, and what the agent takes with `context`. */
export interface RunConfig<Context = Record<string, unknown>>
  extends Omit<NonNullable<Parameters<Agent["invoke"]>[1]>, "context" | "streamMode" | "subgraphs">,
    Pick<LangGraphRunnableConfig, "writer"> {
  readonly context?: Context;
}
