import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import { stopReasonSchema } from "./decision.js";

/** An earlier turn: the question as asked, the standalone question made of it, and the answer. */
export const chatTurnSchema = z.object({
  question: z.string(),
  standalone: z.string(),
  answer: z.string(),
  stopReason: stopReasonSchema,
});
export type ChatTurn = z.infer<typeof chatTurnSchema>;

/** The earlier turns for prompts: a summary of the oldest turns, and the newer turns in full. */
export const chatHistorySchema = z.object({ summary: z.string(), turns: z.array(chatTurnSchema) });
export type ChatHistory = z.infer<typeof chatHistorySchema>;

export const emptyChatHistory: ChatHistory = { summary: "", turns: [] };

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
  const turns = history.turns.map((turn) => `${labels.question}: ${turn.standalone}\n${labels.answer}: ${turn.answer}`);
  return [...(history.summary ? [`Summary of what came before: ${history.summary}`] : []), ...turns].join("\n");
}

/**
 * Reads the earlier turns in a list of messages. A turn is an answer with the human messages before it. Several answers
 * in a row are one answer. Thoughts with tool calls, and tool messages, are not answers.
 */
export function chatHistoryOf(messages: readonly BaseMessage[]): ChatHistory {
  const turns: ChatTurn[] = [];
  let question = "";
  for (const message of messages) {
    const text = message.text.trim();
    if (message.getType() === "human") question = joinLines(question, text);
    else if (isAnswer(message) && text !== "") {
      const before = question === "" ? turns.pop() : undefined;
      turns.push(toTurn(before?.question ?? question, joinLines(before?.answer ?? "", text)));
      question = "";
    }
  }
  return { summary: "", turns: question === "" ? turns : [...turns, toTurn(question, "")] };
}

function isAnswer(message: BaseMessage): boolean {
  return AIMessage.isInstance(message) && !message.tool_calls?.length;
}

function joinLines(first: string, second: string): string {
  return first === "" ? second : `${first}\n${second}`;
}

function toTurn(question: string, answer: string): ChatTurn {
  return { question, standalone: question, answer, stopReason: "answered" };
}
