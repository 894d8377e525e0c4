import { AIMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { endedTurn, withUnanswered } from "../../turn/chat-history.js";
import { answersQuestion, type StopReason } from "../../turn/decision.js";
import { answerIdOf, replyIdOf } from "../../turn/reply-id.js";
import type { AgentStateValues } from "../../turn/state.js";
import type { AgentDependencies } from "./dependencies.js";
import { remember } from "./remember.js";

/**
 * Returns the update that ends a turn: the answer, the stop reason, the message of the answer and the chat history.
 * Prompts show a turn only if it answers its question.
 */
export async function endTurn(
  agent: AgentDependencies,
  state: AgentStateValues,
  answer: string,
  stopReason: StopReason,
  config: LangGraphRunnableConfig,
) {
  const { name } = agent;
  const message = new AIMessage({ id: answerIdOf(replyIdOf(state)), ...(name && { name }), content: answer });
  const update = { answer, stopReason, messages: [message] };
  const turn = endedTurn(state.turn, state.question, message, stopReason);
  if (!answersQuestion[stopReason]) return { ...update, chatHistory: withUnanswered(state.chatHistory, turn) };
  const all = [...state.messages, message];
  return { ...update, chatHistory: await remember(agent, state.chatHistory, turn, all, config) };
}
