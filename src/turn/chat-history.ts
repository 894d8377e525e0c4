import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import { stopReasonSchema } from "./decision.js";

/** An earlier turn: the words as asked, the standalone question made of them, and the answer. */
export const chatTurnSchema = z.object({
  question: z.string(),
  standalone: z.string(),
  answer: z.string(),
  stopReason: stopReasonSchema,
});
export type ChatTurn = z.infer<typeof chatTurnSchema>;

/** What prompts see of earlier turns: a summary of the oldest, and the rest as they were. */
export const chatHistorySchema = z.object({ summary: z.string(), turns: z.array(chatTurnSchema) });
export type ChatHistory = z.infer<typeof chatHistorySchema>;

export const emptyChatHistory: ChatHistory = { summary: "", turns: [] };

/** Whether there is nothing to show or to refer back to. */
export function isEmptyHistory(history: ChatHistory): boolean {
  return history.summary === "" && history.turns.length === 0;
}

/**
 * The earlier conversation as prompts write it: the summary first, then a question and an answer a line.
 *
 * @param labels The words before the question and the answer; langchain-mini's `Q` and `A` unless given.
 */
export function renderChatHistory(history: ChatHistory, labels = { question: "Q", answer: "A" }): string {
  const turns = history.turns.map((turn) => `${labels.question}: ${turn.standalone}\n${labels.answer}: ${turn.answer}`);
  return [...(history.summary ? [`Summary of what came before: ${history.summary}`] : []), ...turns].join("\n");
}

/**
 * The earlier turns that a list of messages tells of: each answer with the human words before it. What was thought while
 * tools were used, and what they returned, is no answer; several in a row are one.
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
