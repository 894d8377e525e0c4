import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { BaseChatModel, type BaseChatModelParams } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { readHistory, standaloneQuestion } from "./conversation.js";
import { fromPassages } from "./from-passages.js";
import { nextStep, standIn } from "./next-step.js";

/** The chat model of {@link offlineModel}. */
export class OfflineModel extends BaseChatModel {
  constructor(options: BaseChatModelParams = {}) {
    super(options);
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
 * prompts of the text protocols and of retrieval agents as any model would, and replies in their form. A calculation goes
 * to the calculator. Any other question goes to search: a sentence with all words of the question, in its order, is the
 * answer, or has a number for the calculator. Else it says that it found nothing. In a follow-up question it puts the last
 * name, thing or number for a pronoun.
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

/** The same prompt always gets the same reply. Without a summary of a conversation an agent keeps the conversation. */
function replyTo(prompt: string): string {
  if (prompt.endsWith("\n\nNew summary:")) return "";
  return rephrased(prompt) ?? fromPassages(prompt) ?? nextStep(prompt) ?? standIn;
}

function rephrased(prompt: string): string | undefined {
  if (!prompt.endsWith("\nStandalone question:")) return undefined;
  const [history = "", asked = ""] = prompt.slice(0, -"\nStandalone question:".length).split("\nFollow Up Input: ");
  return standaloneQuestion(asked, readHistory(history));
}
