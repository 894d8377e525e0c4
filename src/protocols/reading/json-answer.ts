import { CertainText } from "./certain-text.js";
import { isFinishWord } from "./label-words.js";
import { findToken, tokenAtEnd } from "./sections/special-tokens.js";

/** The keys of an answer in JSON, up to the quote before its text. */
const keys = /"action"\s{0,9}:\s{0,9}"([^"\n]{1,40})"\s{0,9},\s{0,9}"action_input"\s{0,9}:\s{0,9}"/g;
const longestKeys = 150;

/** Returns the places at which texts of answers begin: those whose keys end after the place `from`. */
export function findJsonAnswers(text: string, from = 0): number[] {
  const start = Math.max(0, from - longestKeys);
  return [...text.slice(start).matchAll(keys)]
    .filter(([, name = ""]) => isFinishWord(name))
    .map(({ index, 0: { length } }) => start + index + length);
}

const escapeSequence = /^(?:["\\/bfnrt]|u[\da-fA-F]{4})/;

/** Reads an answer that is a text in JSON, while the model writes it. */
export class JsonAnswerReader {
  readonly #text = new CertainText();
  #value = "";
  #place: number;
  #ended = false;

  /** @param start The place after the opening quote. */
  constructor(start: number) {
    this.#place = start;
  }

  /** Takes the whole reply so far. Returns the new part of the answer. */
  push(reply: string): string {
    if (this.#ended) return "";
    const end = findToken(reply, this.#place) ?? tokenAtEnd(reply);
    while (this.#place < end && this.#readSign(reply));
    return this.#text.grow(this.#value);
  }

  /** Reads one sign of the text. Returns false if there is none, or not all of it. */
  #readSign(reply: string): boolean {
    const sign = reply.charAt(this.#place);
    // A quote ends the text, or the model forgot to escape it. The whole reply shows which.
    if (sign === '"') this.#ended = true;
    else if (sign === "\n") return this.#readLineBreak(reply);
    else if (sign !== "\\") this.#take(sign, 1);
    else return this.#readEscape(reply.slice(this.#place + 1, this.#place + 6));
    return !this.#ended;
  }

  /** Reads a line break. A brace on the next line closes the object: the model forgot the quote. */
  #readLineBreak(reply: string): boolean {
    const next = reply.slice(this.#place).trimStart().charAt(0);
    if (next === "}") this.#ended = true;
    return next !== "" && next !== "}" && this.#take("\n", 1);
  }

  #readEscape(written: string): boolean {
    const [whole] = escapeSequence.exec(written) ?? [];
    if (whole !== undefined) return this.#take(String(JSON.parse(`"\\${whole}"`)), whole.length + 1);
    this.#ended = !/^(?:u|$)/.test(written);
    return false;
  }

  #take(sign: string, length: number): boolean {
    this.#value += sign;
    this.#place += length;
    return true;
  }
}
