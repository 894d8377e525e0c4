import type { BaseMessage, BaseMessageChunk } from "@langchain/core/messages";
import { ChatOpenAICompletions, convertMessagesToCompletionsMessageParams, type OpenAIClient } from "@langchain/openai";

type Chunk = OpenAIClient.Chat.ChatCompletionChunk;
type Whole = OpenAIClient.Chat.ChatCompletion;
type StreamRequest = OpenAIClient.Chat.ChatCompletionCreateParamsStreaming;
type WholeRequest = OpenAIClient.Chat.ChatCompletionCreateParamsNonStreaming;
type RequestOptions = OpenAIClient.RequestOptions;

/**
 * The chat completions of a server that shows its reasoning. LangChain drops the field `reasoning` of a reply, and sends no
 * reasoning back. Models such as DeepSeek's demand the reasoning after each tool call. So an AI message keeps the field that
 * its reply had, and is sent with that field. A server that sends no reasoning gets none: OpenAI's refuses the field.
 */
export class ReasoningCompletions extends ChatOpenAICompletions {
  /** The messages of the call. Only a copy of the model, which makes one call, has them. */
  private sent: readonly BaseMessage[] | undefined;

  override _generate(...call: Parameters<ChatOpenAICompletions["_generate"]>) {
    return super._generate.apply(this.copyFor(call[0]), call);
  }

  override _streamResponseChunks(...call: Parameters<ChatOpenAICompletions["_streamResponseChunks"]>) {
    return super._streamResponseChunks.apply(this.copyFor(call[0]), call);
  }

  override completionWithRetry(request: StreamRequest, options?: RequestOptions): Promise<AsyncIterable<Chunk>>;
  override completionWithRetry(request: WholeRequest, options?: RequestOptions): Promise<Whole>;
  override completionWithRetry(
    request: StreamRequest | WholeRequest,
    options?: RequestOptions,
  ): Promise<AsyncIterable<Chunk> | Whole> {
    const messages = this.sent ? withReasoning(this.sent, this.model) : request.messages;
    return request.stream
      ? super.completionWithRetry({ ...request, messages }, options)
      : super.completionWithRetry({ ...request, messages }, options);
  }

  protected override _convertCompletionsDeltaToBaseMessageChunk(
    delta: Record<string, unknown>,
    chunk: Chunk,
    role?: OpenAIClient.Chat.ChatCompletionRole,
  ): BaseMessageChunk {
    return keepReasoning(super._convertCompletionsDeltaToBaseMessageChunk(delta, chunk, role), delta);
  }

  protected override _convertCompletionsMessageToBaseMessage(
    message: OpenAIClient.Chat.ChatCompletionMessage,
    whole: Whole,
  ): BaseMessage {
    return keepReasoning(super._convertCompletionsMessageToBaseMessage(message, whole), { ...message });
  }

  private copyFor(messages: readonly BaseMessage[]): this {
    // The copies share one client.
    this._getClientOptions(undefined);
    const copy: this = Object.create(this);
    copy.sent = messages;
    return copy;
  }
}

function keepReasoning<Message extends BaseMessage>(
  message: Message,
  said: Readonly<Record<string, unknown>>,
): Message {
  if (typeof said.reasoning === "string") message.additional_kwargs.reasoning = said.reasoning;
  return message;
}

/** Returns the reasoning of a message in the fields in which it came. The Responses API has a record there. */
function reasoningOf({ additional_kwargs: { reasoning_content, reasoning } }: BaseMessage) {
  return {
    ...(typeof reasoning_content === "string" && { reasoning_content }),
    ...(typeof reasoning === "string" && { reasoning }),
  };
}

/** Converts messages as LangChain does, one after the other, and adds the reasoning of each. */
function withReasoning(messages: readonly BaseMessage[], model: string) {
  return messages.flatMap((message) =>
    convertMessagesToCompletionsMessageParams({ messages: [message], model }).map((param) => ({
      ...param,
      ...reasoningOf(message),
    })),
  );
}
