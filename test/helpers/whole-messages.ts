import { type AIMessageChunk, type BaseMessage, isAIMessageChunk } from "@langchain/core/messages";

/** Puts the chunks of a `messages` stream together, as LangGraph clients do: those with one id are one message. */
export function wholeMessages(chunks: readonly BaseMessage[]): BaseMessage[] {
  const whole = new Map<string | undefined, BaseMessage>();
  for (const chunk of chunks) {
    const before = whole.get(chunk.id);
    whole.set(chunk.id, isChunk(before) && isChunk(chunk) ? before.concat(chunk) : chunk);
  }
  return [...whole.values()];
}

function isChunk(message: BaseMessage | undefined): message is AIMessageChunk {
  return message !== undefined && "concat" in message && isAIMessageChunk(message as AIMessageChunk);
}
