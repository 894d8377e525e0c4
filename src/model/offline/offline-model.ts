import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { BaseChatModel, type BaseChatModelParams } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { replyTo } from "./reply.js";

/** The chat model of {@link offlineModel}. */
export class OfflineModel extends BaseChatModel {
  constructor(options: BaseChatModelParams = {}) {
    super(options);
  }

  static override lc_name(): string {
    return "OfflineModel";
  }

  override _llmType(): string {
    return "glassloop-offline-rules";
  }

  override async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    options.signal?.throwIfAborted();
    const text = reply(messages, options.stop);
    const message = new AIMessage({ content: text, response_metadata: { finish_reason: "stop" } });
    return { generations: [{ text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    for (const word of reply(messages, options.stop).match(/\s*\S+|\s+$/g) ?? []) {
      options.signal?.throwIfAborted();
      const chunk = new ChatGenerationChunk({ text: word, message: new AIMessageChunk(word) });
      yield chunk;
      await runManager?.handleLLMNewToken(word, undefined, undefined, undefined, undefined, { chunk });
    }
    const end = new AIMessageChunk({ content: "", response_metadata: { finish_reason: "stop" } });
    yield new ChatGenerationChunk({ text: "", message: end });
  }
}

/**
 * Makes the chat model that needs no key and no network. It is a small set of rules, not a language model. It reads the
 * prompts of the text protocols as any model would, and replies in the protocol. It sends arithmetic to the calculator
 * and other questions to document search. The best sentence becomes the answer. It resolves pronouns from the chat
 * history. It also reads the prompts of a retrieval agent, and cites the passages of its sentences. It says so if no sentence
 * answers.
 *
 * It reads English. It knows only the prompt: it has no table of questions and does not bypass the graph.
 *
 * @returns A LangChain chat model. It takes `stop` and `signal`, streams its words, and has no native tools.
 *
 * @example
 * ```ts
 * const agent = createAgent({ model: offlineModel(), tools: [calculator()] });
 * const { answer } = await agent.invoke({ messages: "What is 15% of 240?" }); // "15% of 240 is 36."
 * ```
 */
export function offlineModel(): OfflineModel {
  return new OfflineModel();
}

function reply(messages: BaseMessage[], stop: readonly string[] = []): string {
  const text = replyTo(messages.map((message) => message.text).join("\n\n"));
  const ends = stop.map((sequence) => text.indexOf(sequence)).filter((end) => end >= 0);
  return text.slice(0, Math.min(text.length, ...ends));
}
