import { AIMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { endedTurn, withUnanswered } from "../../turn/chat-history.js";
import { endOf, type StopReason } from "../../turn/decision.js";
import type { AgentStateValues } from "../../turn/state.js";
import { tell } from "../../turn/teller.js";
import { tellEnd } from "./agent-callbacks.js";
import type { AgentDependencies } from "./dependencies.js";
import { sendRest } from "./message-chunks.js";
import { remember } from "./remember.js";

/** The end of a turn. */
export interface TurnEnd {
  readonly answer: string;
  readonly stopReason: StopReason;
  /** The answer as data, if it fits the output of the agent. */
  readonly output?: unknown;
  /** The limit that the turn reached, if the answer is the sentence about it. */
  readonly why?: string | undefined;
  /** The id of the answer's message. */
  readonly id: string;
  /** The part of the answer that went out while the model wrote it. */
  readonly sent?: string;
}

/**
 * Returns the update that ends a turn: the answer with its message, the stop reason and the chat history. It sends out
 * the rest of the answer. Prompts show a turn if it has an answer, even one at a limit.
 */
export async function endTurn(
  agent: AgentDependencies,
  state: AgentStateValues,
  { answer, output, stopReason, why, id, sent = "" }: TurnEnd,
  config: LangGraphRunnableConfig,
) {
  const { name } = agent;
  const message = new AIMessage({ id, ...(name && { name }), content: answer });
  const rest = answer.startsWith(sent) ? answer.slice(sent.length) : "";
  if (rest !== "" && endOf[stopReason] !== "none" && why === undefined)
    tell(config, { type: "answer-delta", text: rest });
  sendRest(config, message);
  await tellEnd(config, answer, state.reply?.text ?? "");
  const update = { answer, ...(output !== undefined && { output }), stopReason, messages: [message] };
  const turn = endedTurn(state.turn, state.question, message, stopReason);
  if (endOf[stopReason] === "none") return { ...update, chatHistory: withUnanswered(state.chatHistory, turn) };
  const all = [...state.messages, message];
  return { ...update, chatHistory: await remember(agent, state.chatHistory, turn, all, config) };
}
