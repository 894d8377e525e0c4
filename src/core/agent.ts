import { END, START, StateGraph } from "@langchain/langgraph";
import { DirectRunnable } from "../langgraph/direct-runnable.js";
import { compileAgent, graphForms } from "./graph/compile-agent.js";
import { nodeOf } from "./graph/node-of.js";
import { afterAct, afterParse } from "./graph/routers.js";
import { recursionLimit } from "./limits/recursion-limit.js";
import { act } from "./nodes/act.js";
import { parse } from "./nodes/parse.js";
import { plan } from "./nodes/plan.js";
import { rephraseQuestion } from "./nodes/rephrase-question.js";
import type { AgentParts, RunParts } from "./parts/agent-parts.js";
import type { GraphOptions } from "./parts/graph-options.js";
import type { AgentStateValues } from "./state/state.js";

/** Makes the graph of an agent: it plans, it parses the reply, it acts, until there is an answer. */
export function agentGraph(parts: AgentParts | RunParts, options: GraphOptions = {}) {
  const graph = new StateGraph(graphForms(options))
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
