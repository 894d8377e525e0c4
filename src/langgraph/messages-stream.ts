import { type AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { type LangGraphRunnableConfig, pushMessage } from "@langchain/langgraph";
import { EVENTS_HANDLER, MESSAGES_HANDLER, SERVER_KEY } from "./names.js";

/** The texts that went out in chunks, by the `messages` stream and the id of their message. */
const sentTexts = new WeakMap<object, Map<string, string>>();

/**
 * Sends a part of a message to LangGraph's `messages` stream, if the stream has a reader. No callback, trace or count of
 * tokens sees this chunk. A LangGraph server gets the chunk as an event of `streamEvents`, because its older mode `messages`
 * is made of these events.
 *
 * @param message The id of the message, and the name of the agent.
 */
export function sendChunk(config: LangGraphRunnableConfig, message: { id: string; name?: string }, text: string): void {
  const [stream] = messagesStreams(config);
  if (stream === undefined) return;
  const texts = sentTexts.get(stream) ?? new Map<string, string>();
  sentTexts.set(stream, texts.set(message.id, (texts.get(message.id) ?? "") + text));
  push(config, new AIMessageChunk({ ...message, content: text }));
}

/**
 * Sends the rest of a message of which chunks went out. LangGraph sends every other message itself, when its node ends.
 */
export function sendRest(config: LangGraphRunnableConfig, message: AIMessage): void {
  const [stream] = messagesStreams(config);
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
  const { metadata = {} } = config;
  const run = { name: "glassloop", tags: [], metadata };
  const event = { ...run, event: "on_chat_model_stream", run_id: chunk.id, data: { chunk } };
  for (const stream of messagesStreams(config)) {
    if (isOfEvents(stream)) void stream.send(event, { ...run, runType: "chat_model" }).catch(() => undefined);
    // The node returns the message itself.
    else pushMessage(chunk, { ...config, stateKey: null });
  }
}

/** The handler that writes the events of a run. */
interface EventsHandler {
  send(event: object, run: object): Promise<void>;
}

function isOfEvents(handler: object): handler is EventsHandler {
  return "name" in handler && handler.name === EVENTS_HANDLER && "send" in handler;
}

/** Returns what stands for the streams of messages of a run: LangGraph's handler of `messages`, and that of events on a server. */
function messagesStreams({ callbacks, metadata }: LangGraphRunnableConfig): object[] {
  const handlers = Array.isArray(callbacks) ? callbacks : (callbacks?.handlers ?? []);
  const isOnServer = metadata?.[SERVER_KEY] !== undefined;
  return handlers.filter(
    (handler) => ("name" in handler && handler.name === MESSAGES_HANDLER) || (isOnServer && isOfEvents(handler)),
  );
}
