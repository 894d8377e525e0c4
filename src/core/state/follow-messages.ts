import type { BaseMessage } from "@langchain/core/messages";
import { type ChatHistory, type ChatTurn, chatHistoryOf, digestOf, isSpoken, seenMessage } from "./chat-history.js";
import { endOf } from "./decision.js";

/**
 * Follows what people changed in the messages since they were remembered. A changed question or answer is changed here,
 * too, and a turn without its question or its answer is gone. A turn without an answer joins the others when it gets
 * one.
 *
 * @returns The same history if nothing was changed.
 */
export function followMessages(history: ChatHistory, messages: readonly BaseMessage[]): ChatHistory {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const follow = (turn: ChatTurn) => followTurn(turn, byId) ?? [];
  const { unanswered: left = [] } = history;
  const turns = history.turns.flatMap(follow);
  const unanswered = left.flatMap(follow);
  if (isSame(turns, history.turns) && isSame(unanswered, left)) return history;
  const answered = unanswered.filter(({ stopReason }) => endOf[stopReason] !== "none");
  return {
    ...history,
    turns: inOrder([...turns, ...answered], messages),
    unanswered: unanswered.filter(({ stopReason }) => endOf[stopReason] === "none"),
  };
}

function isSame(turns: readonly ChatTurn[], others: readonly ChatTurn[]): boolean {
  return turns.length === others.length && turns.every((turn, index) => turn === others[index]);
}

function followTurn(turn: ChatTurn, byId: ReadonlyMap<string | undefined, BaseMessage>): ChatTurn | undefined {
  const present = turn.messages.flatMap(({ id }) => byId.get(id) ?? []);
  const changed = turn.messages.flatMap(({ id, digest }) => {
    const message = byId.get(id);
    return message === undefined ? ["gone"] : digestOf([message]) === digest ? [] : [message.getType()];
  });
  if (changed.length === 0) return turn;
  const [read] = chatHistoryOf(present).turns;
  if (read === undefined) return undefined;
  const { question, standalone, answer, stopReason } = read;
  if (answer === "" || (question === "" && turn.question !== "")) return undefined;
  return {
    ...turn,
    ...(changed.some((type) => type !== "ai") && { question, standalone }),
    ...(changed.some((type) => type !== "human") && { answer, stopReason }),
    messages: present.map(seenMessage),
  };
}

/** Sorts turns by their place among the messages. */
function inOrder(turns: readonly ChatTurn[], messages: readonly BaseMessage[]): ChatTurn[] {
  const places = new Map(messages.map(({ id }, index) => [id, index]));
  const placeOf = ({ messages: [first] }: ChatTurn) => places.get(first?.id) ?? -1;
  return turns.toSorted((left, right) => placeOf(left) - placeOf(right));
}

/**
 * Returns the source of a summary: its last message, and a digest of the conversation up to there.
 *
 * @returns undefined if the message is not there.
 */
export function summarizedUpTo(id: string, messages: readonly BaseMessage[]): ChatHistory["summarized"] {
  const end = messages.findLastIndex((message) => message.id === id);
  return end < 0 ? undefined : { id, digest: digestOf(messages.slice(0, end + 1).filter(isSpoken)) };
}

/** Tells whether the messages in the summary are as they were when it was made. One that no turn was left out for is true. */
export function isSummaryTrue({ summary, summarized }: ChatHistory, messages: readonly BaseMessage[]): boolean {
  if (summary === "" || summarized === undefined) return true;
  return summarizedUpTo(summarized.id, messages)?.digest === summarized.digest;
}

/**
 * Reads all turns in the messages anew. A turn that the history has keeps its standalone question. A turn that was not
 * answered is left out.
 */
export function turnsAnew(history: ChatHistory, messages: readonly BaseMessage[]): ChatTurn[] {
  const known = new Map(history.turns.map((turn) => [turn.messages[0]?.id, turn]));
  const unanswered = new Set(history.unanswered?.flatMap(({ messages }) => messages.map(({ id }) => id)));
  const heard = messages.filter(({ id }) => !unanswered.has(String(id)));
  const spoken = chatHistoryOf(heard).turns.filter(({ answer }) => answer !== "");
  return spoken.map((turn) => known.get(turn.messages[0]?.id) ?? turn);
}
