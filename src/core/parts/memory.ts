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
  /** The config of the run. */
  readonly config: RunnableConfig;
}

/**
 * A memory decides which earlier turns later prompts show. `remember` is called once at the end of an answered turn.
 * Its result becomes the chat history of the thread. The full conversation stays in `messages`, even if the memory
 * drops turns. A memory drops only whole turns, so no question is shown without its answer.
 *
 * A thread may begin with older messages. `remember` is then called once for all of them. It gets the last turn, and
 * the turns before it as the history. It is called so, too, after a person changed or removed a turn of the summary.
 * The summary is then made anew.
 *
 * Keep the `messages` of a turn, as `{ ...turn, answer }` does. A turn with them follows when a person changes its
 * messages.
 */
export interface Memory {
  readonly name: string;
  remember(history: ChatHistory, turn: ChatTurn, context: MemoryContext): ChatHistory | Promise<ChatHistory>;
}
