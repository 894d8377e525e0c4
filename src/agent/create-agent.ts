import { END, START, StateGraph } from "@langchain/langgraph";
import type { z } from "zod";
import { compileAgent, graphForms } from "../core/graph/compile-agent.js";
import { nodeOf } from "../core/graph/node-of.js";
import { afterAct, afterParse } from "../core/graph/routers.js";
import { defaultMaxSteps, noRecursionLimit, recursionLimit } from "../core/limits/recursion-limit.js";
import { act } from "../core/nodes/act.js";
import { parse } from "../core/nodes/parse.js";
import { plan } from "../core/nodes/plan.js";
import { rephraseQuestion } from "../core/nodes/rephrase-question.js";
import { runNode } from "../core/nodes/run-node.js";
import { isFunction } from "../core/run/run-view.js";
import type { AgentStateValues } from "../core/state/state.js";
import { DirectRunnable } from "../langgraph/direct-runnable.js";
import { agentOf } from "./agent-dependencies.js";
import type { AgentOptions } from "./options.js";
import type { OutputSchema } from "./output/output-schema.js";

/**
 * Makes an agent: a compiled LangGraph graph that answers a question by thinking, acting and observing (ReAct,
 * arXiv:2210.03629). LangGraph provides `invoke`, `stream`, `streamEvents`, `getState`, `getStateHistory` and
 * `updateState`. The durability is `sync`, and the recursion limit follows from `maxSteps`. The config of a call
 * overrides both. `invoke(null, config)` continues a run that failed, was aborted or was killed, after its last
 * finished node.
 *
 * @param options See {@link AgentOptions}.
 * @returns The graph. Its runs return the state: `answer`, `stopReason`, `intermediateSteps`, `messages` and the rest. With the
 *   option `output` the state has the answer as data, too: `output`.
 * @throws InvalidOptionError when an option has a wrong value (such as two tools with one name) or does not exist. A
 *   run of the graph throws a {@link ThreadInUseError} when another run uses its thread. The option `multitaskStrategy`
 *   can change this.
 * @example
 * const agent = createAgent({ model: new ChatOpenAI({ model: "gpt-4o-mini" }), tools: [calculator()] });
 * const { answer } = await agent.invoke({ messages: "What is the square root of 25?" });
 */
export function createAgent<Schema extends OutputSchema = z.ZodUnknown, Context extends z.ZodObject = z.ZodObject>(
  options: AgentOptions<Schema, Context>,
): Agent<z.output<Schema>>;
export function createAgent(options: AgentOptions): Agent {
  return agentGraph(options);
}

/** The compiled graph that {@link createAgent} returns. `Output` is the type of what fits the option `output`. */
export interface Agent<Output = unknown> extends ReturnType<typeof agentGraph> {
  invoke(
    ...run: Parameters<ReturnType<typeof agentGraph>["invoke"]>
  ): Promise<AgentStateValues & { readonly output: Output | null }>;
}

function agentGraph(options: AgentOptions) {
  const { fixed, dependencies: agent } = agentOf(options);
  const { maxSteps = defaultMaxSteps } = options;
  const graph = new StateGraph(graphForms(options))
    .addNode("rephrase-question", runNode("rephrase-question", nodeOf(agent, rephraseQuestion), { beginsTurn: true }))
    .addNode("plan", runNode("plan", nodeOf(agent, plan)))
    .addNode("parse", new DirectRunnable("parse", runNode("parse", nodeOf(agent, parse))))
    .addNode("act", runNode("act", nodeOf(agent, act)))
    .addEdge(START, "rephrase-question")
    .addEdge("rephrase-question", "plan")
    .addEdge("plan", "parse")
    .addConditionalEdges("parse", afterParse, { action: "act", unparseable: "plan", finish: END })
    .addConditionalEdges("act", afterAct, { observed: "plan", returned: END });
  return compileAgent(graph, { ...options, fixed }, isFunction(maxSteps) ? noRecursionLimit : recursionLimit(maxSteps));
}
