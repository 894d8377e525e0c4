import { isDeepStrictEqual } from "node:util";
import type { BaseMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { checkedResult } from "../../base/options.js";
import { askForText } from "../model/ask-model.js";
import type { AgentParts } from "../parts/agent-parts.js";
import type { MemoryContext } from "../parts/memory.js";
import {
  type ChatHistory,
  type ChatTurn,
  chatHistorySchema,
  digestOf,
  type KnownTurn,
  stepsText,
  turnsIn,
} from "../state/chat-history.js";
import { endOf, type IntermediateStep, isFollowed, type Reply } from "../state/decision.js";
import { nothingShortened, type Shortened, shortenedBefore } from "../state/prompt-record.js";
import { observationId } from "../state/reply-id.js";
import type { AgentStateValues } from "../state/state.js";

/**
 * Makes the chat history at the beginning of a turn. It is derived from the messages, so edits by people are in it. The
 * memory gets all turns since its summary, or all turns if a message of the summary was changed.
 *
 * @param messages The conversation before the question.
 */
export async function remember(
  agent: AgentParts,
  state: AgentStateValues,
  messages: readonly BaseMessage[],
  config: LangGraphRunnableConfig,
): Promise<ChatHistory> {
  const { turns: known, summary, summarized, upTo: before } = state.chatHistory;
  // A summary that a person put in covers no message.
  const isTrue = summarized === undefined || digestUpTo(summarized.id, messages) === summarized.digest;
  const since = isTrue ? { summary, summarized } : { summary: "", summarized: undefined };
  const turns = turnsIn(messagesAfter(messages, since.summarized?.id), [...known, ...lastTurn(state)]);
  const given = { summary: since.summary, turns, ...(before && { upTo: before }) };
  const returned = await agent.memory.remember(given, memoryContext(agent, messages, config));
  const kept = checkedResult("memory", "remember", chatHistorySchema, returned);
  const [first] = kept.turns;
  const last = first ? turns[placeOf(first.id, turns) - 1] : turns.at(-1);
  const upTo = last?.end ?? since.summarized?.id;
  const isNew = kept.summary !== since.summary && upTo !== undefined;
  const covered = isNew ? { id: upTo, digest: digestUpTo(upTo, messages) } : since.summarized;
  const shortened = shortenedIn(state, kept.turns, messagesAfter(messages, upTo));
  return {
    summary: kept.summary,
    turns: sameAsBefore(withSteps(kept, messages), known),
    ...(covered && { summarized: covered }),
    ...(upTo && { upTo }),
    ...(kept.steps !== undefined && { steps: kept.steps }),
    ...(shortened !== nothingShortened && { shortened }),
  };
}

/** Returns turns as the same objects as before, if they did not change. What is known of an object need not be made again. */
function sameAsBefore(turns: readonly ChatTurn[], before: readonly ChatTurn[]): ChatTurn[] {
  const known = new Map(before.map((turn) => [turn.id, turn]));
  return turns.map((turn) => {
    const same = known.get(turn.id);
    return isDeepStrictEqual(same, turn) && same ? same : turn;
  });
}

/** Returns the earlier turns as their messages say them now. The summary stays. */
export function historyIn(messages: readonly BaseMessage[], history: ChatHistory): ChatHistory {
  const turns = turnsIn(messagesAfter(messages, history.upTo), history.turns);
  return { ...history, turns: sameAsBefore(withSteps({ ...history, turns }, messages), history.turns) };
}

/** Returns what is known of the last turn beside its messages. */
export function lastTurn({
  turn,
  stopReason,
  reply,
  intermediateSteps,
}: Pick<AgentStateValues, "turn" | "stopReason" | "reply" | "intermediateSteps">): KnownTurn[] {
  if (turn.number === 0) return [];
  const { mark } = turn;
  const writers = writersOf(intermediateSteps, reply);
  return [{ id: turn.message.id, stopReason: stopReason ?? "interrupted", mark, writers }];
}

/** Returns the models that wrote the messages of a turn, each from a reply on. A reply that was not followed has none. */
export function writersOf(steps: readonly IntermediateStep[], newest: Reply | null): NonNullable<ChatTurn["writers"]> {
  const writers: NonNullable<ChatTurn["writers"]> = [];
  const replies = steps.filter(isFollowed).map(({ reply }) => reply);
  for (const { model, id } of newest ? [...replies, newest] : replies) {
    if (model !== undefined && id !== undefined && model !== writers.at(-1)?.model) writers.push({ model, from: id });
  }
  return writers;
}

/** Adds the steps to the turns whose steps a text prompt shows: those that the memory names, and those without an answer. */
function withSteps({ turns, steps = 0 }: ChatHistory, messages: readonly BaseMessage[]): ChatTurn[] {
  const stepsOf = stepsIn(messages);
  return turns.map((turn, n) => {
    if (n < turns.length - steps && endOf(turn.stopReason) !== "none") return turn;
    const text = stepsOf(turn);
    return text === "" ? turn : { ...turn, steps: text };
  });
}

function memoryContext(
  { models, prompt }: AgentParts,
  messages: readonly BaseMessage[],
  config: LangGraphRunnableConfig,
): MemoryContext {
  return {
    model: async () => (await models.load())[0].model,
    ask: (asked, model) => {
      const load = async () => (model === undefined ? models.load() : models.named(model));
      return askForText("summary", { load, limits: models.limits }, () => asked, config);
    },
    fence: prompt.fence,
    stepsOf: stepsIn(messages),
    config,
  };
}

/** Returns a function that writes the steps of a turn as text. */
function stepsIn(messages: readonly BaseMessage[]): (turn: ChatTurn) => string {
  const places = new Map(messages.map(({ id }, n) => [id, n]));
  return ({ id, end }) => stepsText(messages.slice(places.get(id), (places.get(end) ?? -1) + 1));
}

/** Returns the last place at which something with an id stands, or -1. */
export function placeOf(id: string | undefined, all: readonly { readonly id?: string | undefined }[]): number {
  return all.findLastIndex((one) => one.id === id);
}

/** Returns the message of the question. LangChain's summary of a conversation may have taken its id, and is no question. */
export function questionIn({ messages, turn }: Pick<AgentStateValues, "messages" | "turn">): BaseMessage | undefined {
  const message = messages[placeOf(turn.message.id, messages)];
  return message?.additional_kwargs.lc_source === undefined ? message : undefined;
}

/** Returns the messages after the one with an id. */
export function messagesAfter(messages: readonly BaseMessage[], id: string | undefined): readonly BaseMessage[] {
  return id === undefined ? messages : messages.slice(placeOf(id, messages) + 1);
}

/** Returns a digest of the conversation up to the message with an id. It is empty if there is none. */
function digestUpTo(id: string, messages: readonly BaseMessage[]): string {
  const end = placeOf(id, messages);
  return end < 0 ? "" : digestOf(messages.slice(0, end + 1));
}

/** Returns what the last prompt of the turn before showed only in part, as far as prompts still show it. */
function shortenedIn(
  { reply, chatHistory }: AgentStateValues,
  turns: readonly ChatTurn[],
  messages: readonly BaseMessage[],
): Shortened {
  const { observations, turns: left, cut = {} } = shortenedBefore({ reply, chatHistory });
  const first = chatHistory.turns[left];
  const now = left === 0 ? 0 : Math.max(0, first ? placeOf(first.id, turns) : turns.length - 1);
  const shown = new Set(messagesAfter(messages, turns[now - 1]?.end).map(observationId));
  const short = observations.filter((id) => shown.has(id));
  const cutNow = Object.entries(cut).filter(([id]) => shown.has(id));
  if (short.length === 0 && now === 0 && cutNow.length === 0) return nothingShortened;
  return { observations: short, turns: now, ...(cutNow.length > 0 && { cut: Object.fromEntries(cutNow) }) };
}
