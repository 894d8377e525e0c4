import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { ChatHistory, ChatTurn } from "../state/chat-history.js";

/** The context of a memory. */
export interface MemoryContext {
  /** Loads the agent's model, the first one if it has several. */
  readonly model: () => Promise<BaseChatModel>;
  /**
   * Asks a model for a text, and counts the cost. Default: the agent's models. The text is empty if the model refuses.
   *
   * @throws ModelError when no model answers.
   */
  readonly ask: (messages: BaseMessage[], model?: BaseChatModel) => Promise<string>;
  /** True if the agent fences text from outside in its prompts. */
  readonly fence: boolean;
  /** Writes the calls and the results of a turn as text, or "" if the turn has none. */
  readonly stepsOf: (turn: ChatTurn) => string;
  /** The config of the run. */
  readonly config: RunnableConfig;
}

/**
 * A memory decides which earlier turns prompts show. `remember` is called at the beginning of each turn, with the last
 * summary and all turns since, oldest first. The turns are read from `messages`, so they contain what a person changed.
 * `upTo` is the id of the last message that the memory left out the last time. If a message of the summary was changed,
 * `remember` gets an empty summary and all turns.
 *
 * `remember` returns the summary and the newest turns, unchanged. Only whole turns may be left out, the oldest first. `steps`
 * says how many of the newest turns are shown with their calls and results. The full conversation stays in `messages`.
 */
export interface Memory {
  readonly name: string;
  remember(history: ChatHistory, context: MemoryContext): ChatHistory | Promise<ChatHistory>;
}
