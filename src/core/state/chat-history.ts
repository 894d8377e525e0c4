import { hash } from "node:crypto";
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { z } from "zod";
import { endOf, stopReasonSchema } from "./decision.js";

/** A message as it was when it was remembered. */
export const seenMessageSchema = z.object({ id: z.string(), digest: z.string() });
export type SeenMessage = z.infer<typeof seenMessageSchema>;

/**
 * An earlier turn: the question as asked, the standalone question made of it, and the answer. `messages` are the
 * messages of the question and the answer.
 */
export const chatTurnSchema = z.object({
  question: z.string(),
  standalone: z.string(),
  answer: z.string(),
  stopReason: stopReasonSchema,
  messages: z.array(seenMessageSchema),
});
export type ChatTurn = z.infer<typeof chatTurnSchema>;

/**
 * The earlier turns for prompts: a summary of the oldest turns, and the newer turns in full. `unanswered` are turns that
 * prompts do not show, as their answer only says why there is none. `summarized` is the last message in the summary,
 * with a digest of the conversation up to it.
 */
export const chatHistorySchema = z.object({
  summary: z.string(),
  turns: z.array(chatTurnSchema),
  unanswered: z.array(chatTurnSchema).optional(),
  summarized: seenMessageSchema.optional(),
});
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
  const turns = history.turns.map(
    (turn) => `${labels.question}: ${turn.standalone}\n${labels.answer}: ${rememberedAnswer(turn)}`,
  );
  return [...(history.summary ? [`Summary of what came before: ${history.summary}`] : []), ...turns].join("\n");
}

/** Returns the answer of an earlier turn for a prompt. It says so if the turn ended at a limit. */
export function rememberedAnswer({ answer, stopReason }: ChatTurn): string {
  return endOf[stopReason] === "limit"
    ? `${answer} (The turn ended here at a limit, before the question was settled.)`
    : answer;
}

/**
 * Reads the earlier turns in a list of messages. A turn is an answer with the human messages before it. Several answers
 * in a row are one answer. Thoughts with tool calls, and tool messages, are not answers.
 */
export function chatHistoryOf(messages: readonly BaseMessage[]): ChatHistory {
  const turns: SpokenTurn[] = [];
  for (const message of messages.filter(isSpoken)) {
    const current = turns.at(-1);
    if (message.getType() !== "human") {
      if (current) current.answers.push(message);
      else turns.push({ questions: [], answers: [message] });
    } else if (current && current.answers.length === 0) current.questions.push(message);
    else turns.push({ questions: [message], answers: [] });
  }
  return { summary: "", turns: turns.map(toTurn) };
}

/**
 * Writes what agents said and what tools returned, each on its own line with its name. An agent in an outer graph goes on
 * with it where other agents have ended. A line begins with no label of a protocol, such as `AI:`.
 */
export function writeSaid(messages: readonly BaseMessage[]): string {
  const lines = messages.map((message) => {
    const said = textOf(message).trim();
    if (AIMessage.isInstance(message)) return said && `${message.name ?? "Another agent"}: ${said}`;
    return ToolMessage.isInstance(message) ? said && `Result of ${message.name ?? "a tool"}: ${said}` : "";
  });
  return lines.filter((line) => line !== "").join("\n");
}

interface SpokenTurn {
  readonly questions: BaseMessage[];
  readonly answers: BaseMessage[];
}

function toTurn({ questions, answers }: SpokenTurn): ChatTurn {
  const question = linesOf(questions);
  const messages = [...questions, ...answers].map(seenMessage);
  return { question, standalone: question, answer: linesOf(answers), stopReason: "answered", messages };
}

function linesOf(messages: readonly BaseMessage[]): string {
  return messages.map((message) => textOf(message).trim()).join("\n");
}

/** Tells whether a message is a question or an answer. */
export function isSpoken(message: BaseMessage): boolean {
  const isAnswer = AIMessage.isInstance(message) && !message.tool_calls?.length;
  return (isAnswer || message.getType() === "human") && textOf(message).trim() !== "";
}

/** Returns a turn that ends with an answer, with the messages of its question and its answer. */
export function endedTurn(
  { asked, message }: { readonly asked: string; readonly message: SeenMessage },
  standalone: string,
  answer: AIMessage,
  stopReason: ChatTurn["stopReason"],
): ChatTurn {
  return { question: asked, standalone, answer: answer.text, stopReason, messages: [message, seenMessage(answer)] };
}

/** Notes a turn that has no answer. It is followed, as a person may give the answer later. */
export function withUnanswered(history: ChatHistory, turn: ChatTurn): ChatHistory {
  return { ...history, unanswered: [...(history.unanswered ?? []), turn] };
}

/** Returns a message of a thread as it is now. LangGraph gives each of them an id. */
export function seenMessage(message: BaseMessage): SeenMessage {
  return { id: String(message.id), digest: digestOf([message]) };
}

/** Returns a digest of the texts of messages. It differs if a text differs. */
export function digestOf(messages: readonly BaseMessage[]): string {
  const texts = JSON.stringify(messages.map((message) => [message.getType(), textOf(message)]));
  return hash("sha256", texts).slice(0, 12);
}

function textOf(message: BaseMessage): string {
  // LangChain's `text` first makes blocks out of the content, even if the content is a text.
  return typeof message.content === "string" ? message.content : message.text;
}
