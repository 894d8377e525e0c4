import type { Threads } from "../../threads/open.js";
import type { ConversationEvent } from "../screen/conversation.js";

/** Reads the conversation of a thread from its newest checkpoint. No agent is needed for that. */
export async function conversationOf({ checkpointer }: Threads, thread: string): Promise<ConversationEvent[]> {
  const tuple = await checkpointer.getTuple({ configurable: { thread_id: thread } });
  const { isBaseMessage } = await import("@langchain/core/messages");
  const { conversation } = await import("../screen/conversation.js");
  const messages: unknown = tuple?.checkpoint.channel_values.messages;
  return conversation(Array.isArray(messages) ? messages.filter((message) => isBaseMessage(message)) : []);
}
