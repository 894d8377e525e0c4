import { BaseChatModel, type BindToolsInput } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage, mapChatMessagesToStoredMessages } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { z } from "zod";

/** The fields of a reply, as a model's package makes them. */
export type RecordedReply = Pick<
  AIMessage,
  | "content"
  | "tool_calls"
  | "invalid_tool_calls"
  | "additional_kwargs"
  | "response_metadata"
  | "usage_metadata"
  | "name"
>;

const storedSchema = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) });

/**
 * A chat model that gives messages as they are, and records the messages that it is sent as plain data. It stands for the
 * packages of other providers, whose replies have blocks, signatures and fields of their own.
 */
export class RecordingModel extends BaseChatModel {
  /** The messages of each call. */
  readonly sent: Record<string, unknown>[][] = [];

  constructor(
    private readonly replies: readonly (Partial<RecordedReply> | Error)[],
    readonly model = "recording",
  ) {
    super({ maxRetries: 0 });
  }

  override _llmType(): string {
    return "recording";
  }

  override bindTools(_tools: BindToolsInput[]): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    this.sent.push(messages.map(plain));
    const reply = this.replies[this.sent.length - 1];
    if (reply === undefined) throw new Error(`The script has ${this.replies.length} replies.`);
    if (reply instanceof Error) throw reply;
    const message = new AIMessage({ content: "", tool_calls: [], ...structuredClone(reply) });
    return { generations: [{ text: message.text, message }] };
  }
}

/** Returns a message as plain data, with the fields that packages read. */
export function plain(message: BaseMessage): Record<string, unknown> {
  const [stored] = z.array(storedSchema).parse(JSON.parse(JSON.stringify(mapChatMessagesToStoredMessages([message]))));
  const { type = "", data = {} } = stored ?? {};
  const { id: _, tool_call_chunks: _chunks, type: _type, metadata: _versions, ...fields } = data;
  // What an agent says of text from outside is for other agents. No package reads it.
  const { outside: _outside, ...response_metadata } = z
    .looseObject({ outside: z.unknown() })
    .partial()
    .parse(message.response_metadata);
  return { type: message.getType() || type, ...fields, response_metadata };
}
