import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { BRANCH_PREFIX } from "../../base/langgraph-names.js";
import { ThreadCheckpointer } from "../../threads/checkpoints/checkpointer.js";
import { GraphCheckpointer } from "../../threads/checkpoints/graph-checkpointer.js";
import type { GraphIdentity } from "../../threads/checkpoints/graph-identity.js";
import { AgentState } from "../../turn/state.js";

/** The version of {@link AgentState}. Raise it with every change that an older Glassloop could not read. */
export const STATE_VERSION = 2;

/**
 * Whose state an agent's threads hold, and how older versions of it become this one:
 *
 * - 2 adds the stop reason `interrupted` and the status `unknown` of a tool call. Nothing of version 1 changes.
 */
function agentIdentity(name: string): GraphIdentity {
  return {
    name,
    stateVersion: STATE_VERSION,
    channels: new Set(Object.keys(AgentState.fields)),
    // A reply is stored together with what is read in it: nothing is called in between.
    passing: new Set([`${BRANCH_PREFIX}parse`]),
    migrations: { 1: (values) => values },
  };
}

/** A checkpointer for an agent of a name: one of Glassloop's own notes in a thread whose state it holds, and checks it. */
export function checkpointerFor(name: string, checkpointer: BaseCheckpointSaver | boolean | undefined) {
  return checkpointer instanceof ThreadCheckpointer
    ? new GraphCheckpointer(checkpointer, agentIdentity(name))
    : checkpointer;
}
