import { AIMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { sendRest } from "../../langgraph/messages-stream.js";
import { tell } from "../run/teller.js";
import { endedTurn, withUnanswered } from "../state/chat-history.js";
import { endOf, type StopReason } from "../state/decision.js";
import { answerIdOf, replyIdOf } from "../state/reply-id.js";
import type { AgentStateValues } from "../state/state.js";
import { tellEnd } from "./agent-callbacks.js";
import { withCheckedCitations } from "./answer-citations.js";
import type { AgentDependencies } from "./dependencies.js";
import { remember } from "./remember.js";
import type { SentReply } from "./reply-stream.js";

/** The end of a turn. */
export interface TurnEnd {
  readonly answer: string;
  readonly stopReason: StopReason;
  /** The answer as data, if it fits the output of the agent. */
  readonly output?: unknown;
  /** The limit that the turn reached, if the answer is the sentence about it. */
  readonly why?: string | undefined;
  /** What went out of the reply with the answer. Left out if a tool gave the answer. */
  readonly sent?: SentReply;
}

/**
 * Returns the update that ends a turn: the answer with its message, the stop reason and the chat history. It sends out
 * the rest of the answer. Prompts show a turn if it has an answer, even one at a limit.
 *
 * The citations of a model's answer are checked. The message of the answer is that of its reply, unless other words went out
 * as that.
 */
export async function endTurn(
  agent: AgentDependencies,
  state: AgentStateValues,
  { answer: said, output, stopReason, why, sent }: TurnEnd,
  config: LangGraphRunnableConfig,
) {
  const { name } = agent;
  const replyId = replyIdOf(state);
  const { text: answer, problems } = sent ? withCheckedCitations(agent, state, said) : { text: said, problems: [] };
  const id = sent && answer.startsWith(sent.message) ? replyId : answerIdOf(replyId);
  const message = new AIMessage({ id, ...(name && { name }), content: answer });
  const restAfter = (shown = "") => (answer.startsWith(shown) ? answer.slice(shown.length) : "");
  // Words are held back until their citations are certain.
  const words = state.sources.length > 0 && sent?.answer === "" && sent.message !== "" ? restAfter(sent.message) : "";
  if (words !== "") tell(config, { type: "text-delta", text: words });
  const rest = restAfter(sent?.answer);
  if (rest !== "" && endOf[stopReason] !== "none" && why === undefined)
    tell(config, { type: "answer-delta", text: rest });
  for (const problem of problems) tell(config, { type: "citation", ...problem });
  sendRest(config, message);
  await tellEnd(config, answer, state.reply?.text ?? "");
  const update = { answer, ...(output !== undefined && { output }), stopReason, messages: [message] };
  const turn = endedTurn(state.turn, state.question, message, stopReason);
  if (endOf[stopReason] === "none") return { ...update, chatHistory: withUnanswered(state.chatHistory, turn) };
  const all = [...state.messages, message];
  return { ...update, chatHistory: await remember(agent, state.chatHistory, turn, all, config) };
}
