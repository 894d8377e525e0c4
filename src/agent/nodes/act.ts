import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { AgentStateUpdate, AgentStateValues } from "../../turn/state.js";
import { addUsage } from "../../turn/usage.js";
import { runActions } from "./acting/run-actions.js";
import { resultMessages } from "./action-messages.js";
import type { AgentDependencies } from "./dependencies.js";
import { endTurn } from "./end-turn.js";

/**
 * Makes the node that runs the tools of an action. Each result, even a failure, becomes an observation. The turn ends
 * here if a tool gave the answer.
 */
export function act(agent: AgentDependencies) {
  return async (state: AgentStateValues, config: LangGraphRunnableConfig): Promise<AgentStateUpdate> => {
    const { reply, decision } = state;
    if (reply === null || decision?.kind !== "action") throw new Error("act runs only after an action was decided");
    const results = await runActions(agent, state, decision.actions, config);
    const update = {
      intermediateSteps: { reply, decision, results },
      messages: resultMessages(state.messages, decision, results),
      usage: addUsage(state.usage, { toolCalls: results.length }),
    };
    const returned = results.find(
      ({ action, status }) => status === "success" && agent.tools.get(action.tool)?.returnDirect === true,
    );
    if (returned === undefined) return update;
    const end = await endTurn(agent, state, returned.observation, "returned", config);
    return { ...update, ...end, messages: [...update.messages, ...end.messages] };
  };
}
