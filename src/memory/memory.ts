import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { ChatHistory, ChatTurn } from "../turn/chat-history.js";

/** What a memory may use: the agent's own model, loaded at the first call, and the run's config (abort signal, tracing). */
export interface MemoryContext {
  readonly model: () => Promise<BaseChatModel>;
  readonly config: RunnableConfig;
}

/**
 * Decides what later prompts see of earlier turns. It is asked once, when a turn ends with an answer, and what it returns
 * is the thread's chat history from then on; the full conversation stays in `messages` whatever it drops. It drops whole
 * turns only, so that no question is ever shown without its answer. Of a conversation that was there before the thread's
 * first turn it is asked as well, once for all of it: with its last turn, and those before as the history.
 */
export interface Memory {
  readonly name: string;
  remember(history: ChatHistory, turn: ChatTurn, context: MemoryContext): ChatHistory | Promise<ChatHistory>;
}
