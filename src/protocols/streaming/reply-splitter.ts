import type { Protocol, ToolSpec } from "../protocol.js";
import { type AnswerReader, AnswerStart } from "./answer-start.js";
import { WordsReader } from "./words-reader.js";

/** A piece of a reply: `answer` is text of the answer, `words` are words that may be a thought or an answer. */
export interface ReplyPiece {
  readonly kind: "answer" | "words";
  readonly text: string;
}

/**
 * Splits a reply while the model writes it. Its answer goes out as soon as it is certain. The words before that, and all
 * words of a reply with native calls, go out as words. Labels, calls and thinking in tags do not go out.
 *
 * The pieces put together do not depend on how the reply was cut into chunks.
 */
export class ReplySplitter {
  readonly #words: WordsReader;
  readonly #start: AnswerStart | undefined;
  readonly #wordsAre: ReplyPiece["kind"];
  #answer: AnswerReader | undefined;

  constructor(protocol: Protocol, tools: readonly ToolSpec[]) {
    this.#words = new WordsReader(tools, protocol.nativeTools !== true);
    this.#wordsAre = protocol.onlyAnswers ? "answer" : "words";
    if (!protocol.nativeTools) this.#start = new AnswerStart(protocol, tools);
  }

  /** Takes the whole reply so far. Returns what goes out now. */
  push(reply: string): ReplyPiece[] {
    const words = this.#words.push(reply);
    this.#answer ??= this.#start?.find(reply);
    const answer = this.#answer?.push(reply) ?? "";
    return [
      ...(words === "" ? [] : [{ kind: this.#wordsAre, text: words }]),
      ...(answer === "" ? [] : [{ kind: "answer" as const, text: answer }]),
    ];
  }
}

/** Returns the words and the answer that went out of a whole reply. */
export function sentPieces(
  protocol: Protocol,
  tools: readonly ToolSpec[],
  reply: string,
): Record<ReplyPiece["kind"], string> {
  const sent = { words: "", answer: "" };
  for (const { kind, text } of new ReplySplitter(protocol, tools).push(reply)) sent[kind] += text;
  return sent;
}
