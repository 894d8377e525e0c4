import { AIMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { sendRest } from "../../langgraph/messages-stream.js";
import { isLimitSentence } from "../limits/limits.js";
import type { AgentParts } from "../parts/agent-parts.js";
import { runOf } from "../run/run.js";
import { endedTurn, withUnanswered } from "../state/chat-history.js";
import { endOf, type StopReason } from "../state/decision.js";
import { answerIdOf, replyIdOf } from "../state/reply-id.js";
import type { AgentStateValues } from "../state/state.js";
import { tellEnd } from "./agent-callbacks.js";
import { remember } from "./remember.js";
import { type SentReply, withCheckedCitations } from "./reply-stream.js";

/** The end of a turn. */
export interface TurnEnd {
  readonly answer: string;
  readonly stopReason: StopReason;
  /** The answer as data, if it fits the output of the agent. */
  readonly output?: unknown;
  /** The limit that the turn reached. */
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
  agent: AgentParts,
  state: AgentStateValues,
  { answer: said, output, stopReason, why, sent }: TurnEnd,
  config: LangGraphRunnableConfig,
) {
  const { name, citations } = agent.answers;
  const replyId = replyIdOf(state);
  const { text: answer, problems } = sent
    ? withCheckedCitations(agent.answers, state, said)
    : { text: said, problems: [] };
  const id = sent && answer.startsWith(sent.message) ? replyId : answerIdOf(replyId);
  const message = new AIMessage({ id, ...(name && { name }), content: answer });
  const restAfter = (shown = "") => (answer.startsWith(shown) ? answer.slice(shown.length) : "");
  // Words are held back until their citations are certain.
  const words = state.sources.length > 0 && sent?.answer === "" && sent.message !== "" ? restAfter(sent.message) : "";
  if (words !== "") runOf(config).emit({ type: "text-delta", text: words });
  const rest = restAfter(sent?.answer);
  if (rest !== "" && endOf[stopReason] !== "none" && !isLimitSentence(said, why))
    runOf(config).emit({ type: "answer-delta", text: rest });
  for (const problem of problems) runOf(config).emit({ type: "citation", ...problem });
  sendRest(config, message);
  await tellEnd(config, answer, state.reply?.text ?? "");
  const turn = endedTurn(state.turn, state.question, message, stopReason);
  const chatHistory =
    endOf[stopReason] === "none"
      ? withUnanswered(state.chatHistory, turn)
      : await remember(agent, state.chatHistory, turn, [...state.messages, message], config);
  const data = output !== undefined && { output };
  const cited = data ? [] : citations.citedSources(answer, state.sources);
  const sources = cited.length > 0 && { sources: cited };
  runOf(config).emit({ type: "answer", text: answer, ...data, ...sources, stopReason, ...(why && { why }) });
  return { answer, ...data, stopReason, messages: [message], chatHistory };
}
