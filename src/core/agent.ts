import { END, START } from "@langchain/langgraph";
import { DirectRunnable } from "../langgraph/direct-runnable.js";
import { compileAgent, emptyGraph, nodeOf } from "./graph/compile-agent.js";
import { recursionLimit } from "./limits/recursion-limit.js";
import { act } from "./nodes/act.js";
import { parse } from "./nodes/parse.js";
import { plan } from "./nodes/plan.js";
import { rephraseQuestion } from "./nodes/rephrase-question.js";
import type { AgentParts, RunParts } from "./parts/agent-parts.js";
import type { GraphOptions } from "./parts/graph-options.js";
import type { Decision } from "./state/decision.js";
import type { AgentStateUpdate, AgentStateValues } from "./state/state.js";

/** The next edge of a turn after `parse`. Each kind of decision has its own edge. */
export const afterParse = new DirectRunnable(
  "afterParse",
  ({ decision }: Pick<AgentStateUpdate, "decision">): Decision["kind"] => {
    if (!decision) throw new Error("parse always leaves a decision");
    return decision.kind;
  },
);

/**
 * The next edge of a turn after `act`. A turn ends when a tool gave the answer. Otherwise it continues with the
 * observations.
 */
export const afterAct = new DirectRunnable(
  "afterAct",
  ({ stopReason }: Pick<AgentStateUpdate, "stopReason">): "observed" | "returned" =>
    stopReason === "returned" ? "returned" : "observed",
);

/**
 * Makes the graph of an agent: it plans, it parses the reply, it acts, until there is an answer. The graph has a guard, through
 * which `invoke` and `stream` come (`RunGuard`).
 */
export function agentGraph(parts: AgentParts | RunParts, options: GraphOptions = {}) {
  const graph = emptyGraph(options)
    .addNode("rephrase-question", nodeOf("rephrase-question", parts, rephraseQuestion))
    .addNode("plan", nodeOf("plan", parts, plan))
    .addNode("parse", new DirectRunnable("parse", nodeOf("parse", parts, parse)))
    .addNode("act", nodeOf("act", parts, act))
    .addEdge(START, "rephrase-question")
    .addEdge("rephrase-question", "plan")
    .addEdge("plan", "parse")
    .addConditionalEdges("parse", afterParse, { action: "act", unparseable: "plan", finish: END })
    .addConditionalEdges("act", afterAct, { observed: "plan", returned: END });
  return compileAgent(graph, parts, options, recursionLimit(parts.limits.steps.maxSteps));
}

/** The compiled graph of an agent. `Output` is the type of what fits its output. */
export interface Agent<Output = unknown> extends ReturnType<typeof agentGraph> {
  invoke(
    ...run: Parameters<ReturnType<typeof agentGraph>["invoke"]>
  ): Promise<AgentStateValues & { readonly output: Output | null }>;
}
