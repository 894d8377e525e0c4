import { protocolWords, speakers, type Vocabulary } from "../reading/label-words.js";
import { selfAskWords } from "../reading/read-self-ask.js";
import { anyToken, placeOf } from "../reading/sections/held-signs.js";
import { labelOfLine, mayBecomeLabel } from "../reading/sections/labels.js";

const vocabularies: readonly Vocabulary<string>[] = [protocolWords, selfAskWords, speakers];
/** A token, or a follow-up of self-ask on the line of the answer. */
const endSigns = new RegExp(
  String.raw`${anyToken.source}|(?<=[.!]) {1,3}(?:$|\*{0,2}(?:$|F(?:o?l?l?o?w?$|ollow[ -]?(?:$|u(?:$|p)))))`,
  "giu",
);

/**
 * Reads an answer that follows a label, while the model writes it. It goes out up to the next label or token: only the whole reply
 * shows whether that was a part of the answer.
 */
export class AnswerText {
  /** The line that is not finished, and the place from which there may be tokens. */
  #line: number;
  #limit: number;

  /** @param start The place after the label. */
  constructor(readonly start: number) {
    this.#line = start;
    this.#limit = start;
  }

  /** Takes the whole reply so far. Returns the answer so far. */
  push(reply: string): string {
    this.#limit = placeOf(endSigns, reply, this.#limit);
    const written = reply.slice(0, this.#limit);
    let end = written.indexOf("\n", this.#line);
    while (end >= 0 && !this.#isLabel(written.slice(this.#line, end), true)) {
      this.#line = end + 1;
      end = written.indexOf("\n", this.#line);
    }
    const isHeld = end >= 0 || this.#isLabel(written.slice(this.#line), false);
    return written.slice(this.start, isHeld ? this.#line : undefined);
  }

  /** Tells whether a line is a label, or may become one. The rest of the label's own line is none. */
  #isLabel(line: string, isFinished: boolean): boolean {
    const isOne = (words: Vocabulary<string>) =>
      isFinished ? labelOfLine(line, words)?.weak === false : mayBecomeLabel(line, words);
    return this.#line > this.start && vocabularies.some(isOne);
  }
}
