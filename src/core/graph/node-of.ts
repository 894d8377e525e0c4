import type { Command } from "@langchain/langgraph";
import { type Node, told } from "../nodes/told.js";
import type { AgentParts, RunParts } from "../parts/agent-parts.js";
import type { AgentStateUpdate } from "../state/state.js";
import type { NodeName } from "./node-names.js";

/** Makes a node that has the parts of the agent for its run, and that tells what it does. */
export function nodeOf<Update extends AgentStateUpdate | Command>(
  name: NodeName,
  parts: AgentParts | RunParts,
  make: (agent: AgentParts) => Node<Update>,
): Node<Update> {
  const node: Node<Update> =
    "at" in parts ? async (state, config) => make(await parts.at(state, config))(state, config) : make(parts);
  return told(name, node, { beginsTurn: name === "rephrase-question" });
}
