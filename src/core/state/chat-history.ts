import { hash } from "node:crypto";
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { z } from "zod";
import { shorten } from "../../base/shorten.js";
import { blocksOf, messageText } from "../../content/content.js";
import type { ContentBlock } from "../../content/content-block.js";
import { stopReasonSchema, writeCall } from "./decision.js";
import { shortenedSchema } from "./prompt-record.js";

export const seenMessageSchema = z.object({ id: z.string(), digest: z.string() });

/** A message of a thread, as it was when a digest of it was made. */
export interface SeenMessage extends z.infer<typeof seenMessageSchema> {}

export const chatTurnSchema = z.object({
  id: z.string(),
  end: z.string(),
  question: z.string(),
  answer: z.string(),
  stopReason: stopReasonSchema,
  steps: z.string().optional(),
  mark: z.string().optional(),
  writers: z.array(z.object({ model: z.string(), from: z.string() })).optional(),
});

/**
 * An earlier turn, read in the messages: the question as asked and the answer. Several answers are lines of one.
 *
 * `id` is the id of the message of its question, and `end` that of its last message. `steps` are its calls and results as
 * text, for prompts that show no messages. `mark` is the mark of its fence. `writers` are the models that wrote its messages, each
 * from the message with an id on. The last three are left out if they are not known.
 */
export interface ChatTurn extends z.infer<typeof chatTurnSchema> {}

export const chatHistorySchema = z.object({
  summary: z.string(),
  turns: z.array(chatTurnSchema),
  summarized: seenMessageSchema.optional(),
  upTo: z.string().optional(),
  steps: z.int().min(0).optional(),
  shortened: shortenedSchema.optional(),
});

/**
 * The turns before the newest one, made from the messages when it begins: a summary of the oldest turns, and the others as the
 * memory of the agent keeps them.
 *
 * `summarized` is the last message in the summary, with a digest of the conversation up to there. `upTo` is the id of the last
 * message that prompts leave out. `steps` is the number of newest turns that prompts show with their steps. Default: all with native
 * calls, none in a text protocol. `shortened` is what the last prompt of the turn before showed only in part.
 */
export interface ChatHistory extends z.infer<typeof chatHistorySchema> {}

export const emptyChatHistory: ChatHistory = { summary: "", turns: [] };

/** What is known of a turn beside its messages. */
export type KnownTurn = Pick<ChatTurn, "id" | "stopReason" | "mark" | "writers">;

/**
 * Reads the turns in a list of messages. A turn begins with a question: all human messages that follow one another. System
 * messages belong to no turn.
 *
 * @param known What is known of the turns beside their messages. A turn that is not known counts as answered.
 */
export function turnsIn(messages: readonly BaseMessage[], known: readonly KnownTurn[] = []): ChatTurn[] {
  const knownById = new Map(known.map((turn) => [turn.id, turn]));
  return groupedByTurn(messages).map((group) => {
    const questions = group.filter((message) => message.getType() === "human");
    const answers = group.filter((message) => AIMessage.isInstance(message) && !message.tool_calls?.length);
    const id = String((questions.at(-1) ?? group[0])?.id);
    const { mark, writers, stopReason = "answered" } = knownById.get(id) ?? {};
    return {
      id,
      end: String(group.at(-1)?.id),
      question: linesOf(questions),
      answer: linesOf(answers),
      stopReason,
      ...(mark && { mark }),
      ...(writers && { writers }),
    };
  });
}

/** Returns the messages of each turn. */
function groupedByTurn(messages: readonly BaseMessage[]): BaseMessage[][] {
  const groups: BaseMessage[][] = [];
  let before = "";
  for (const message of messages) {
    const type = message.getType();
    if (type === "system") continue;
    if (groups.length === 0 || (type === "human" && before !== "human")) groups.push([]);
    groups.at(-1)?.push(message);
    before = type;
  }
  return groups;
}

/** The most characters of a call or a result in the steps of an earlier turn. */
const mostCharacters = 2000;

/** Writes the calls and the results of a turn as text, each on its own line. */
export function stepsText(messages: readonly BaseMessage[]): string {
  const lines = messages.flatMap((message) => {
    if (ToolMessage.isInstance(message)) return [`Result of ${message.name ?? "a tool"}: ${textOf(message).trim()}`];
    const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
    return calls.map(writeCall);
  });
  return lines.map((line) => shorten(line, mostCharacters)).join("\n");
}

function linesOf(messages: readonly BaseMessage[]): string {
  return messages
    .map((message) => (message.getType() === "human" ? messageText(message) : textOf(message)).trim())
    .filter((text) => text !== "")
    .join("\n");
}

/** Returns a message of a thread as it is now. LangGraph gives each of them an id. */
export function seenMessage(message: BaseMessage): SeenMessage {
  return { id: String(message.id), digest: digestOf([message]) };
}

/** Returns a digest of what was said in messages. It differs if a text or a file of a question differs. */
export function digestOf(messages: readonly BaseMessage[]): string {
  const said = messages.map((message) => [message.getType(), textOf(message), ...filesOf(message)]);
  return hash("sha256", JSON.stringify(said)).slice(0, 12);
}

function filesOf(message: BaseMessage): ContentBlock[] {
  return message.getType() === "human" ? blocksOf(message).filter(({ text }) => text === undefined) : [];
}

/** Returns the text of a message. */
export function textOf(message: BaseMessage): string {
  // LangChain's `text` first makes blocks out of the content, even if the content is a text.
  return typeof message.content === "string" ? message.content : message.text;
}
