import type { StateDefinitionInit as Shape, StateGraph } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { agentGraph } from "../core/agent.js";
import { messageName } from "../core/nodes/action-messages.js";
import type { AgentParts, RunParts } from "../core/parts/agent-parts.js";
import { keeperOf } from "../core/run/keeper.js";
import { contextNamesOf, stateWith } from "../core/seams/channels.js";
import * as seams from "../core/seams/seams.js";
import { STATE_VERSION } from "../core/state/state.js";
import { guarded } from "../langgraph/guarded-graph.js";
import { INPUT_CHANNEL, triggerOf } from "../langgraph/names.js";
import { untraceWriters } from "../langgraph/untraced-writers.js";
import type { Agent } from "./agent.js";
import type { GraphOptions } from "./graph-options.js";
import { RunGuard, type ThreadOptions } from "./run-guard.js";

/** Makes an agent of its parts. The graph has a guard, through which `invoke` and `stream` come ({@link RunGuard}). */
export function agentOf(parts: AgentParts | RunParts, options: GraphOptions = {}): Agent {
  return compileAgent(agentGraph(parts, options.context), parts, options);
}

/**
 * Compiles the graph of an agent. The graph guards and repairs its threads.
 *
 * @param maxSteps The most steps of a turn. LangGraph's limit on super-steps is never reached before it.
 */
export function compileAgent<S, U, N extends string, I extends Shape, O extends Shape, C extends Shape, R, T, W>(
  builder: StateGraph<unknown, S, U, N, I, O, C, R, T, W>,
  { plugins }: Pick<AgentParts, "plugins">,
  options: GraphOptions,
  maxSteps = seams.mostSteps(plugins),
) {
  const { name = "glassloop", multitaskStrategy = "reject", whileWaiting = "drop", durability = "sync" } = options;
  const { store, checkpointer } = options;
  const bind = <Given>(given: Given) => checkpointerFor(name, given);
  const graph = builder.compile({ checkpointer: bind(checkpointer), store, name });
  untraceWriters(graph, stateWith(plugins));
  const threads: ThreadOptions = {
    multitaskStrategy,
    whileWaiting,
    name: options.name && messageName(options.name),
    plugins,
    context: options.context,
    contextNames: plugins.flatMap((plugin) => contextNamesOf(plugin) ?? []),
    bind,
  };
  return guarded(graph, (inner) => new RunGuard(inner, threads)).withConfig({
    durability,
    recursionLimit: recursionLimit(maxSteps),
  });
}

/**
 * Returns the checkpointer for an agent with this name. A checkpointer of Glassloop notes in each thread which graph
 * owns the state, and checks it. Any other checkpointer is returned as it is.
 */
function checkpointerFor<Given>(name: string, checkpointer: Given): BaseCheckpointSaver | Given {
  // An input is stored together with the state that it makes, and a reply together with its decision. No model and no
  // tool is called between them.
  const passing = new Set([INPUT_CHANNEL, triggerOf("parse")]);
  return keeperOf(checkpointer)?.forGraph({ name, stateVersion: STATE_VERSION, passing }) ?? checkpointer;
}

/**
 * Returns LangGraph's limit on super-steps, high enough that the agent's own limit always ends a turn first. Each step
 * has at most a `plan`, a `parse` and an `act`. The turn begins with `rephrase-question`. It ends with a reply beyond the
 * limit and the last reply, each with a `plan` and a `parse`. LangGraph counts one more: the super-step that would come next.
 */
function recursionLimit(maxSteps: number): number {
  return Math.min(3 * maxSteps + 6, Number.MAX_SAFE_INTEGER);
}
