import { AIMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { chatHistorySchema } from "../../turn/chat-history.js";
import { answersQuestion, type StopReason } from "../../turn/decision.js";
import { answerIdOf, replyIdOf } from "../../turn/reply-id.js";
import type { AgentStateValues } from "../../turn/state.js";
import { checkedResult } from "./checked-result.js";
import type { AgentDependencies } from "./dependencies.js";

/**
 * Returns the update that ends a turn: the answer, the stop reason and the message of the answer. A turn that answers
 * its question also joins the chat history.
 */
export async function endTurn(
  agent: AgentDependencies,
  state: AgentStateValues,
  answer: string,
  stopReason: StopReason,
  config: LangGraphRunnableConfig,
) {
  const update = {
    answer,
    stopReason,
    messages: [new AIMessage({ id: answerIdOf(replyIdOf(state)), content: answer })],
  };
  if (!answersQuestion[stopReason]) return update;
  const turn = { question: state.turn.asked, standalone: state.question, answer, stopReason };
  const remembered = await agent.memory.remember(state.chatHistory, turn, { model: agent.model, config });
  return { ...update, chatHistory: checkedResult("memory", "remember", chatHistorySchema, remembered) };
}
