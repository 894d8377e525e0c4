import { type LangGraphRunnableConfig, messagesStateReducer, Overwrite } from "@langchain/langgraph";
import type { AgentParts } from "../parts/agent-parts.js";
import type { AgentStateUpdate, AgentStateValues } from "../state/state.js";
import { beginTurn } from "./begin-turn.js";
import { endByHook } from "./end-turn.js";

/**
 * Makes the node that starts a turn ({@link beginTurn}), and makes its question stand on its own with the chat history (the
 * conversation loop of langchain-mini).
 */
export function rephraseQuestion(agent: AgentParts) {
  return async (state: AgentStateValues, config: LangGraphRunnableConfig): Promise<AgentStateUpdate> => {
    const { update, seen, turn, chatHistory, isEnded } = await beginTurn(agent, state, config);
    if (!isEnded) return { ...update, question: await agent.rephrase(agent, turn, chatHistory, config) };
    const end = await endByHook(agent, seen, config);
    const messages = new Overwrite(messagesStateReducer(seen.messages, end.messages));
    return { ...update, question: turn.asked, ...end, messages };
  };
}
