import type { AgentAt, AgentDependencies } from "../nodes/dependencies.js";
import type { Node } from "../nodes/run-node.js";

/** Makes a node that has the parts of the agent for its run. */
export function nodeOf<Update>(
  agent: AgentDependencies | AgentAt,
  make: (agent: AgentDependencies) => Node<Update>,
): Node<Update> {
  if (typeof agent !== "function") return make(agent);
  return async (state, config) => make(await agent(state, config))(state, config);
}
