import { type AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { type LangGraphRunnableConfig, pushMessage } from "@langchain/langgraph";
import { MESSAGES_HANDLER } from "./names.js";

/** The texts that went out in chunks, by the `messages` stream and the id of their message. */
const sentTexts = new WeakMap<object, Map<string, string>>();

/**
 * Sends a part of a message to LangGraph's `messages` stream, if somebody reads it. No callback, trace or count of tokens
 * sees that.
 *
 * @param message The id of the message, and the name of the agent.
 */
export function sendChunk(config: LangGraphRunnableConfig, message: { id: string; name?: string }, text: string): void {
  const stream = messagesStream(config);
  if (stream === undefined) return;
  const texts = sentTexts.get(stream) ?? new Map<string, string>();
  sentTexts.set(stream, texts.set(message.id, (texts.get(message.id) ?? "") + text));
  push(config, new AIMessageChunk({ ...message, content: text }));
}

/**
 * Sends the rest of a message of which chunks went out. LangGraph sends every other message itself, when its node ends.
 */
export function sendRest(config: LangGraphRunnableConfig, message: AIMessage): void {
  const stream = messagesStream(config);
  const sent = stream && sentTexts.get(stream)?.get(message.id ?? "");
  if (sent === undefined) return;
  const { id, name, text, tool_calls = [] } = message;
  if (text === sent && tool_calls.length === 0) return;
  const tool_call_chunks = tool_calls.map((call, index) => ({
    type: "tool_call_chunk" as const,
    id: call.id,
    name: call.name,
    args: JSON.stringify(call.args),
    index,
  }));
  const content = text.slice(sent.length);
  push(config, new AIMessageChunk({ id, ...(name && { name }), content, tool_call_chunks }));
}

function push(config: LangGraphRunnableConfig, chunk: AIMessageChunk): void {
  // The node returns the message itself.
  pushMessage(chunk, { ...config, stateKey: null });
}

/** Returns what stands for the `messages` stream of a run: LangGraph's handler of it. */
function messagesStream({ callbacks }: LangGraphRunnableConfig): object | undefined {
  const handlers = Array.isArray(callbacks) ? callbacks : (callbacks?.handlers ?? []);
  return handlers.find((handler) => "name" in handler && handler.name === MESSAGES_HANDLER);
}
