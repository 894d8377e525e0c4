import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { answersIn, type FoundAnswer } from "./best-sentence.js";
import { withoutAsking } from "./calculation.js";
import { readHistory, standaloneQuestion } from "./conversation.js";
import { nextStep, standIn } from "./next-step.js";

/**
 * The chat model that needs no key and no network. It is a small set of rules, not a language model. It reads the
 * prompts of the text protocols and of retrieval agents as any model would, and replies in their form. A calculation goes
 * to the calculator. Any other question goes to search: a sentence with all words of the question, in its order, is the
 * answer, or has a number for the calculator. Else it says that it found nothing. In a follow-up question it puts the last
 * name, thing or number for a pronoun.
 *
 * It reads English. It knows only the prompt: it has no table of questions and does not bypass the graph.
 * It takes `stop` and `signal`, streams its words, and has no native tools.
 */
export class OfflineModel extends BaseChatModel {
  override get profile(): BaseChatModel["profile"] {
    return {
      maxInputTokens: Number.MAX_SAFE_INTEGER,
      imageInputs: false,
      audioInputs: false,
      videoInputs: false,
      pdfInputs: false,
    };
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

/**
 * What a prompt of a retrieval agent has. `draft` is the answer from earlier passages, `next` the paragraph after the
 * question, such as an answer to check. The parts that a prompt does not have are empty.
 */
type Request = Readonly<Record<"question" | "passages" | "draft" | "next", string>>;

/** The rules for each prompt, by its words. */
const rules: readonly (readonly [words: RegExp, reply: (request: Request) => string])[] = [
  [/^Decide where to search/, () => "all"],
  [/^(?:Write (?!the draft)|Split a )/, ({ question }) => withoutAsking(question)],
  [/^Tell which passages help/, ({ passages, question }) => helpful(answersIn(passages, question))],
  [/^Copy from a passage/, ({ passages, question }) => answersIn(passages, question)[0]?.text ?? "NOTHING"],
  [/^Answer a question from one passage/, scoredAnswer],
  [/^Check an answer/, verdict],
  [/^Write the draft of an answer|(?:^|\n)Answer the question from the passages\. Use only/, answer],
  [/(?:^|\n)Answer the question from the conversation and from what you know\./, () => standIn],
];

/** Returns the reply to a prompt of a retrieval agent. Undefined for any other prompt. */
function fromPassages(prompt: string): string | undefined {
  const [, reply] = rules.find(([words]) => words.test(prompt)) ?? [];
  const asked = prompt.lastIndexOf("\nQuestion: ");
  if (asked < 0) return undefined;
  const [words = "", next = ""] = prompt.slice(asked + "\nQuestion: ".length).split("\n\n");
  const question = words.split("\nStandalone question: ").at(-1) ?? "";
  const before = prompt.slice(0, asked);
  const found = before.slice(before.lastIndexOf("\nPassages:\n"));
  const [passages = "", draft = ""] = found.split(/\n\n(?:Draft|Answer so far): /);
  return reply?.({ question, passages, draft: draft.trim(), next });
}

const dontKnow = "I do not know: the passages do not answer this.";

function helpful(found: readonly FoundAnswer[]): string {
  return JSON.stringify({ helpful: found.map(({ passage }) => passage) });
}

/** Answers with a sentence and the number of its passage. An answer from earlier passages stays. */
function answer({ passages, question, draft }: Request): string {
  const [best] = answersIn(passages, question);
  if (draft !== "" && !draft.startsWith("I do not know")) return draft;
  return best ? best.text.replace(/[.!?]?$/, (end) => ` [${best.passage}]${end}`) : dontKnow;
}

function scoredAnswer(request: Request): string {
  const said = answer(request);
  return `${said}\nScore: ${said === dontKnow ? 0 : 80}`;
}

/** An answer is right if it stands in the passages as it is. */
function verdict({ passages, question, next }: Request): string {
  const said = next.replace(/^Answer: /, "").replace(/ \[\d+\]/g, "");
  const isRight =
    said === dontKnow ? answersIn(passages, question).length === 0 : passages.replace(/\s+/g, " ").includes(said);
  return JSON.stringify(isRight ? { right: true } : { right: false, why: "the passages do not say this" });
}
