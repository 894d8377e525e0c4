import { CertainText } from "../reading/certain-text.js";
import { protocolWords, speakers, type Vocabulary } from "../reading/label-words.js";
import { selfAskWords } from "../reading/read-self-ask.js";
import { labelOfLine, mayBecomeLabel } from "../reading/sections/labels.js";
import { findToken, tokenAtEnd } from "../reading/sections/special-tokens.js";

/** Tells whether a line that is still being written may become a label that ends the answer. */
function mayEnd(line: string): boolean {
  return [protocolWords, selfAskWords, speakers].some((words: Vocabulary<string>) => mayBecomeLabel(line, words));
}

/** Tells whether a line is a label that may end the answer. */
function ends(line: string): boolean {
  const others = [selfAskWords, speakers].some((words: Vocabulary<string>) => labelOfLine(line, words) !== undefined);
  return others || labelOfLine(line, protocolWords)?.weak === false;
}

/** A follow-up of self-ask on the line of the answer, and its beginnings. */
const followUp = /[.!] {1,3}\*{0,2}Follow[ -]?up(?: question)? ?\d{0,2}\*{0,2}:/i;
const openFollowUp = /[.!] {1,3}\*{0,2}F(?:o(?:l(?:l(?:o(?:w[ \w*-]{0,20})?)?)?)?)?$/i;
const longestFollowUp = 50;

/** Reads an answer that follows a label, while the model writes it. */
export class PlainAnswerReader {
  readonly #text = new CertainText(mayBeOther);
  /** The place of the first line that is not looked at, or not finished. */
  #line: number;
  /** The place from which there may be tokens and follow-ups that are not looked at yet. */
  #looked: number;
  #end: number | undefined;

  /** @param start The place after the label. */
  constructor(private readonly start: number) {
    this.#line = start;
    this.#looked = start;
  }

  /** Takes the whole reply so far. Returns the new part of the answer. */
  push(reply: string): string {
    this.#end ??= this.#findEnd(reply);
    this.#looked = Math.max(this.start, reply.length - longestFollowUp);
    return this.#text.grow(reply.slice(this.start, this.#end ?? this.#openEnd(reply)));
  }

  /** Returns the place of something that ends the answer. It may be a part of it all the same, which is known later. */
  #findEnd(reply: string): number | undefined {
    const unseen = followUp.exec(reply.slice(this.#looked))?.index;
    const inline = Math.min(
      findToken(reply, this.#looked) ?? reply.length,
      unseen === undefined ? reply.length : this.#looked + unseen + 1,
    );
    for (;;) {
      const newline = reply.indexOf("\n", this.#line);
      const end = newline < 0 ? inline : Math.min(newline, inline);
      if (end < reply.length && this.#isLine && ends(reply.slice(this.#line, end))) return this.#line;
      if (end === inline) return inline < reply.length ? inline : undefined;
      this.#line = end + 1;
    }
  }

  /** Returns the place from which the last line may become something else. */
  #openEnd(reply: string): number {
    const line = reply.slice(this.#line);
    const words = line.slice(0, tokenAtEnd(line));
    if (this.#isLine && mayEnd(words)) return this.#line;
    const tail = words.slice(-longestFollowUp);
    const open = openFollowUp.exec(tail)?.index;
    return this.#line + words.length - (open === undefined ? 0 : tail.length - open - 1);
  }

  /** Tells whether a line begins at the place. The rest of the label's own line is none. */
  get #isLine(): boolean {
    return this.#line > this.start;
  }
}

/** An answer that is JSON is taken out of it. A model that speaks as `AI:` may write that twice. */
function mayBeOther(beginning: string): boolean {
  return /^(?:`{1,2}$|```\w*\s*$|(?:```\w*\s*)?\{)/.test(beginning) || mayBeSpeaker(beginning.toLowerCase());
}

function mayBeSpeaker(beginning: string): boolean {
  return (
    ["ai", "assistant"].some((name) => name.startsWith(beginning)) || /^(?:ai|assistant)\s*(?:[:：]|$)/.test(beginning)
  );
}
