import type { StateDefinitionInit, StateGraph } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { AgentOptions } from "../../agent/options.js";
import { checkedOption } from "../../base/options.js";
import { withContextForm } from "../../langgraph/context-form.js";
import { guarded } from "../../langgraph/guarded-graph.js";
import { INPUT_CHANNEL, triggerOf } from "../../langgraph/names.js";
import { untraceWriters } from "../../langgraph/untraced-writers.js";
import { messageName } from "../nodes/action-messages.js";
import type { FixedParts } from "../nodes/dependencies.js";
import { keepPromptWriter } from "../prompts/written-again.js";
import { keeperOf } from "../run/keeper.js";
import { AgentState, STATE_VERSION } from "../state/state.js";
import { TurnInput } from "../state/turn-input.js";
import { interruptedTurn } from "./interrupted-turn.js";
import { nodeNames } from "./node-names.js";
import { ThreadGuard, type ThreadOptions } from "./thread-graph.js";

type GraphOptions = Pick<
  AgentOptions,
  "name" | "context" | "checkpointer" | "store" | "durability" | "multitaskStrategy"
>;

/** Returns the schemas of the graph of an agent: its state, its input, and its context. */
export function graphForms({ context }: Pick<AgentOptions, "context">) {
  return { state: withContextForm(AgentState), input: withContextForm(TurnInput), context, nodes: [...nodeNames] };
}

/**
 * Compiles the graph of an agent. The graph guards and repairs its threads.
 *
 * @param recursionLimit LangGraph's limit on super-steps. The limits of the agent must always be reached first.
 */
export function compileAgent<
  S,
  U,
  N extends string,
  I extends StateDefinitionInit,
  O extends StateDefinitionInit,
  C extends StateDefinitionInit,
  R,
  T,
  W,
>(
  builder: StateGraph<unknown, S, U, N, I, O, C, R, T, W>,
  options: GraphOptions & { readonly fixed: Pick<FixedParts, "protocols" | "hooks"> },
  recursionLimit: number,
) {
  const { name = "glassloop", multitaskStrategy = "reject", durability = "sync", store, checkpointer } = options;
  const { protocols, hooks } = options.fixed;
  const graph = builder.compile({ checkpointer: checkpointerFor(name, checkpointer), store, name });
  keepPromptWriter(graph, { protocols, hasHook: hooks.beforeModel !== undefined });
  untraceWriters(graph, AgentState);
  const spokenName = options.name && messageName(options.name);
  const threads: ThreadOptions = {
    multitaskStrategy,
    repair: (thread) => interruptedTurn(thread, spokenName),
    readContext: (context) => (options.context ? checkedOption("context", options.context, context ?? {}) : context),
  };
  return guarded(graph, (inner) => new ThreadGuard(inner, threads)).withConfig({ durability, recursionLimit });
}

/**
 * Returns the checkpointer for an agent with this name. A checkpointer of Glassloop notes in each thread which graph
 * owns the state, and checks it. Any other checkpointer is returned as it is.
 */
function checkpointerFor(name: string, checkpointer: BaseCheckpointSaver | boolean | undefined) {
  // An input is stored together with the state that it makes, and a reply together with its decision. No model and no
  // tool is called between them.
  const passing = new Set([INPUT_CHANNEL, triggerOf("parse")]);
  return keeperOf(checkpointer)?.forGraph({ name, stateVersion: STATE_VERSION, passing }) ?? checkpointer;
}
