import { type Command, type StateDefinitionInit as Shape, StateGraph } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { withContextForm } from "../../langgraph/context-form.js";
import { guarded } from "../../langgraph/guarded-graph.js";
import { INPUT_CHANNEL, triggerOf } from "../../langgraph/names.js";
import { untraceWriters } from "../../langgraph/untraced-writers.js";
import { messageName } from "../nodes/action-messages.js";
import { type Node, runNode } from "../nodes/run-node.js";
import type { AgentParts, RunParts } from "../parts/agent-parts.js";
import type { GraphOptions } from "../parts/graph-options.js";
import type { Plugin } from "../parts/plugin.js";
import { keeperOf } from "../run/keeper.js";
import { allChannels, contextNamesOf, stateWith } from "../seams/channels.js";
import { type AgentStateUpdate, STATE_VERSION } from "../state/state.js";
import { turnInputWith } from "../state/turn-input.js";
import { type NodeName, nodeNames } from "./node-names.js";
import { RunGuard, type ThreadOptions } from "./run-guard.js";

/**
 * Returns a graph without nodes, with the state, the input and the context of an agent.
 *
 * @param plugins What plugs into the agent. They may have channels of their own.
 */
export function emptyGraph({ context }: Pick<GraphOptions, "context">, plugins: readonly Plugin[] = []) {
  const state = withContextForm(stateWith(plugins));
  const input = withContextForm(turnInputWith(allChannels(plugins)));
  // LangGraph checks the context, too, and a strict schema would refuse what plug-ins take of it.
  const isShared = plugins.some(({ contextSchema }) => contextSchema !== undefined);
  const checked = context && isShared ? z.looseObject(context.shape) : context;
  return new StateGraph({ state, input, context: checked, nodes: [...nodeNames] });
}

/** Makes a node that has the parts of the agent for its run, and that tells what it does. */
export function nodeOf<Update extends AgentStateUpdate | Command>(
  name: NodeName,
  parts: AgentParts | RunParts,
  make: (agent: AgentParts) => Node<Update>,
): Node<Update> {
  const node: Node<Update> =
    "at" in parts ? async (state, config) => make(await parts.at(state, config))(state, config) : make(parts);
  return runNode(name, node, { beginsTurn: name === "rephrase-question" });
}

/**
 * Compiles the graph of an agent. The graph guards and repairs its threads.
 *
 * @param recursionLimit LangGraph's limit on super-steps. The limits of the agent must always be reached first.
 */
export function compileAgent<S, U, N extends string, I extends Shape, O extends Shape, C extends Shape, R, T, W>(
  builder: StateGraph<unknown, S, U, N, I, O, C, R, T, W>,
  { plugins }: Pick<AgentParts, "plugins">,
  options: GraphOptions,
  recursionLimit: number,
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
  return guarded(graph, (inner) => new RunGuard(inner, threads)).withConfig({ durability, recursionLimit });
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
