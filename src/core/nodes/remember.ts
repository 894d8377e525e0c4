import type { BaseMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { checkedResult } from "../../base/options.js";
import { askForText } from "../model/ask-model.js";
import type { AgentParts } from "../parts/agent-parts.js";
import type { MemoryContext } from "../parts/memory.js";
import { type ChatHistory, type ChatTurn, chatHistorySchema, emptyChatHistory } from "../state/chat-history.js";
import { followMessages, isSummaryTrue, summarizedUpTo, turnsAnew } from "../state/follow-messages.js";

/**
 * Adds a turn to the chat history, as the memory keeps it. Notes which messages became part of its summary.
 *
 * @param messages The conversation, with the messages of the turn.
 */
export async function remember(
  agent: AgentParts,
  { summary, turns, ...notes }: ChatHistory,
  turn: ChatTurn,
  messages: readonly BaseMessage[],
  config: LangGraphRunnableConfig,
): Promise<ChatHistory> {
  const remembered = await agent.memory.remember({ summary, turns }, turn, memoryContext(agent, config));
  const kept = checkedResult("memory", "remember", chatHistorySchema, remembered);
  const last = kept.summary === summary ? undefined : lastLeftOut([...turns, turn], kept.turns);
  const summarized = last === undefined ? notes.summarized : summarizedUpTo(last, messages);
  return { ...notes, summary: kept.summary, turns: kept.turns, ...(summarized && { summarized }) };
}

function memoryContext({ models, prompt }: AgentParts, config: LangGraphRunnableConfig): MemoryContext {
  return {
    model: async () => (await models.load())[0].model,
    ask: (messages, model) => {
      const load = async () => (model === undefined ? models.load() : models.named(model));
      return askForText("summary", { load, limits: models.limits }, () => messages, config);
    },
    fence: prompt.fence,
    config,
  };
}

/** Returns the id of the last message of the turns that are no longer kept in full. */
function lastLeftOut(turns: readonly ChatTurn[], kept: readonly ChatTurn[]): string | undefined {
  const ids = new Set(kept.map(({ messages }) => messages[0]?.id));
  return turns.findLast(({ messages }) => !ids.has(messages[0]?.id))?.messages.at(-1)?.id;
}

/** Adds several turns at once. The memory gets the last one, and the others as the history before it. */
export async function rememberAll(
  agent: AgentParts,
  { turns, unanswered }: Pick<ChatHistory, "turns" | "unanswered">,
  messages: readonly BaseMessage[],
  config: LangGraphRunnableConfig,
): Promise<ChatHistory> {
  const newest = turns.at(-1);
  const history = { ...emptyChatHistory, turns: turns.slice(0, -1), ...(unanswered && { unanswered }) };
  return newest === undefined ? history : remember(agent, history, newest, messages, config);
}

/**
 * Returns the chat history at the beginning of a turn. It follows what people changed in the messages since the last
 * turn. The memory makes a summary anew if a turn in it was changed.
 *
 * @param messages The conversation before the question.
 */
export async function recall(
  agent: AgentParts,
  history: ChatHistory,
  messages: readonly BaseMessage[],
  config: LangGraphRunnableConfig,
): Promise<ChatHistory> {
  const followed = followMessages(history, messages);
  if (isSummaryTrue(history, messages)) return followed;
  return rememberAll(agent, { ...followed, turns: turnsAnew(followed, messages) }, messages, config);
}
