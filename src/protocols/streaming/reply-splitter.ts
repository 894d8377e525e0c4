import type { Protocol, ToolSpec } from "../protocol.js";
import { protocolWords } from "../reading/label-words.js";
import { labelOfLine } from "../reading/sections/labels.js";
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

/**
 * Finds an observation that the model invents after a step of its own. The rest of the reply then counts for nothing, and
 * the model can be stopped. Stop texts find one in the form of the prompt. This finds others, such as `**Observation:**`.
 */
export class InventedObservation {
  #line = 0;
  /** The number of times that the parser can still be asked. A reply with more observations is broken. */
  #looksLeft = 20;

  constructor(
    private readonly protocol: Protocol,
    private readonly tools: readonly ToolSpec[],
  ) {}

  /** Takes the whole reply so far. Returns the place of the observation. */
  find(reply: string): number | undefined {
    for (let end = 0; end >= 0; ) {
      end = reply.indexOf("\n", this.#line);
      const line = reply.slice(this.#line, end < 0 ? undefined : end);
      if (this.#line > 0 && this.#isInvented(reply, line)) return this.#line;
      if (end >= 0) this.#line = end + 1;
    }
    return undefined;
  }

  #isInvented(reply: string, line: string): boolean {
    const label = labelOfLine(line, protocolWords);
    if (label?.kind !== "observation" || label.weak || !label.colon || this.#looksLeft === 0) return false;
    this.#looksLeft -= 1;
    // The parser decides: it reads the same step with the observation and without it, whatever follows.
    const observed = `${reply.slice(0, this.#line + label.end)} 1`;
    const readings = [reply.slice(0, this.#line), observed, `${observed}\nSo the final answer is: 2`].map((text) =>
      this.protocol.parse(text, this.tools),
    );
    const [step, ...same] = readings.map((reading) => JSON.stringify(reading));
    return readings[0]?.kind !== "unparseable" && same.every((reading) => reading === step);
  }
}
