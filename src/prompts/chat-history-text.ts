import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { type ChatHistory, type ChatTurn, textOf } from "../core/state/chat-history.js";
import { endOf, type StopReason } from "../core/state/decision.js";

/** Tells whether the chat history has neither a summary nor turns. */
export function isEmptyHistory(history: ChatHistory): boolean {
  return history.summary === "" && history.turns.length === 0;
}

/**
 * Writes the chat history for a prompt: first the summary, then each question and each answer on its own line.
 *
 * @param labels The words before a question and an answer. Default: `Q` and `A`, as in langchain-mini.
 */
export function renderChatHistory(history: ChatHistory, labels = { question: "Q", answer: "A" }): string {
  const turns = history.turns.map((turn) => {
    const answer = rememberedAnswer(turn);
    const lines = [
      turn.question && `${labels.question}: ${turn.question}`,
      turn.steps,
      answer && `${labels.answer}: ${answer}`,
    ];
    return lines.filter(Boolean).join("\n");
  });
  return [...(history.summary ? [`Summary of what came before: ${history.summary}`] : []), ...turns].join("\n");
}

/** Returns what prompts say after the answer of an earlier turn, if its end says something about the answer. */
export function noteOnEnd(stopReason: StopReason): string | undefined {
  if (stopReason === "ungrounded") return "(The passages did not confirm this answer.)";
  return endOf(stopReason) === "limit"
    ? "(The turn ended here at a limit, before the question was settled.)"
    : undefined;
}

/** Returns the answer of an earlier turn for a prompt, with the note on its end. */
export function rememberedAnswer({ answer, stopReason }: ChatTurn): string {
  const note = noteOnEnd(stopReason);
  return note === undefined ? answer : `${answer} ${note}`;
}

/**
 * Writes what agents said and what tools returned, each on its own line with its name. This text tells an agent in an outer
 * graph what other agents did before it. No line begins with a label of a protocol, such as `AI:`.
 */
export function writeSaid(messages: readonly BaseMessage[]): string {
  const lines = messages.map((message) => {
    const said = textOf(message).trim();
    if (AIMessage.isInstance(message)) return said && `${message.name ?? "Another agent"}: ${said}`;
    return ToolMessage.isInstance(message) ? said && `Result of ${message.name ?? "a tool"}: ${said}` : "";
  });
  return lines.filter((line) => line !== "").join("\n");
}
