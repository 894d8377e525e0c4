import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { BRANCH_PREFIX, INPUT_CHANNEL } from "../../base/langgraph-names.js";
import { ThreadCheckpointer } from "../../threads/checkpoints/checkpointer.js";
import { GraphCheckpointer } from "../../threads/checkpoints/graph-checkpointer.js";
import type { GraphIdentity } from "../../threads/checkpoints/graph-identity.js";
import { AgentState } from "../../turn/state.js";

/** The version of {@link AgentState}. Raise it with every change that an older Glassloop could not read. */
export const STATE_VERSION = 7;

/**
 * Returns the identity of an agent's state, with the changes from one version to the next:
 *
 * - 2 adds the stop reason `interrupted` and the status `unknown` of a tool call. Nothing of version 1 changes.
 * - 3 adds the stop reason `failed`. Nothing of version 2 changes: what it lacks is optional in version 3.
 * - 4 adds the stop reasons `length`, `refused` and `filtered`. Nothing of version 3 changes.
 * - 5 adds the stop reasons `cancelled` and `invalid-output`, and the channels `output`, `prompt`
 *   and `quietCalls`. Nothing of version 4 changes.
 * - 6 adds the stop reasons of more limits, and the channel `workedMs`. Nothing of version 5 changes.
 * - 7 adds the stop reasons `not-found` and `ungrounded`, and the channel `retrieval`. Nothing of version 6 changes.
 */
function agentIdentity(name: string): GraphIdentity {
  return {
    name,
    stateVersion: STATE_VERSION,
    channels: new Set(Object.keys(AgentState.fields)),
    // An input is stored together with the state that it makes, and a reply together with its decision. No model and no
    // tool is called between them.
    passing: new Set([INPUT_CHANNEL, `${BRANCH_PREFIX}parse`]),
    migrations: {
      1: (values) => values,
      2: (values) => values,
      3: (values) => values,
      4: (values) => values,
      5: (values) => values,
      6: (values) => values,
    },
  };
}

/**
 * Returns the checkpointer for an agent with this name. A checkpointer of Glassloop notes in each thread which graph
 * owns the state, and checks it. Any other checkpointer is returned as it is.
 */
export function checkpointerFor(name: string, checkpointer: BaseCheckpointSaver | boolean | undefined) {
  return checkpointer instanceof ThreadCheckpointer
    ? new GraphCheckpointer(checkpointer, agentIdentity(name))
    : checkpointer;
}
