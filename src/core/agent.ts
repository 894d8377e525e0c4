import { END, START, StateGraph } from "@langchain/langgraph";
import { z } from "zod";
import { withContextForm } from "../langgraph/context-form.js";
import { DirectRunnable } from "../langgraph/direct-runnable.js";
import { act } from "./nodes/act.js";
import { type NodeName, nodeNames } from "./nodes/node-names.js";
import { parse } from "./nodes/parse.js";
import { plan } from "./nodes/plan.js";
import { rephraseQuestion } from "./nodes/rephrase-question.js";
import { nodeOf } from "./nodes/run-node.js";
import type { AgentParts, RunParts } from "./parts/agent-parts.js";
import type { Plugin } from "./parts/plugin.js";
import { allChannels, stateWith } from "./seams/channels.js";
import * as seams from "./seams/seams.js";
import type { Decision } from "./state/decision.js";
import type { AgentStateUpdate } from "./state/state.js";
import { turnInputWith } from "./state/turn-input.js";

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
 * Returns a graph without nodes, with the state, the input and the context of an agent.
 *
 * @param context The schema of what a run is given with `context`.
 * @param plugins What plugs into the agent. They may have channels of their own.
 */
export function emptyGraph(context: z.ZodObject | undefined, plugins: readonly Plugin[] = []) {
  const state = withContextForm(stateWith(plugins));
  const input = withContextForm(turnInputWith(allChannels(plugins)));
  // LangGraph checks the context, too, and a strict schema would refuse what plug-ins take of it.
  const isShared = plugins.some(({ contextSchema }) => contextSchema !== undefined);
  const checked = context && isShared ? z.looseObject(context.shape) : context;
  return new StateGraph({ state, input, context: checked, nodes: [...nodeNames] });
}

/** Makes the graph of an agent: it plans, it parses the reply, it acts, until there is an answer. */
export function agentGraph(parts: AgentParts | RunParts, context?: z.ZodObject) {
  const { plugins } = parts;
  const parsing = nodeOf("parse", parts, parse);
  const asks = seams.hasHook(plugins, "afterModel", "afterAgent");
  const graph = emptyGraph(context, plugins)
    .addNode("rephrase-question", nodeOf("rephrase-question", parts, rephraseQuestion))
    .addNode("plan", nodeOf("plan", parts, plan))
    // A hook may ask a person, for which LangGraph wraps the node.
    .addNode("parse", asks ? parsing : new DirectRunnable("parse", parsing))
    .addNode("act", nodeOf("act", parts, act))
    .addEdge(START, "rephrase-question");
  addEdgeOrEnd(graph, plugins, "rephrase-question", "plan");
  addEdgeOrEnd(graph, plugins, "plan", "parse");
  return graph
    .addConditionalEdges("parse", afterParse, { action: "act", unparseable: "plan", finish: END })
    .addConditionalEdges("act", afterAct, { observed: "plan", returned: END });
}
