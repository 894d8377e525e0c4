import { AIMessageChunk, type BaseMessage } from "@langchain/core/messages";

/** Puts the chunks of a `messages` stream together, as LangGraph clients do: those with one id are one message. */
export function wholeMessages(chunks: readonly BaseMessage[]): BaseMessage[] {
  const whole = new Map<string | undefined, BaseMessage>();
  for (const chunk of chunks) {
    const before = whole.get(chunk.id);
    whole.set(
      chunk.id,
      AIMessageChunk.isInstance(before) && AIMessageChunk.isInstance(chunk) ? before.concat(chunk) : chunk,
    );
  }
  return [...whole.values()];
}
