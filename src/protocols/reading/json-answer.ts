import { isFinishWord } from "./label-words.js";
import { anyToken, placeOf } from "./sections/held-signs.js";

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

/** The text of an answer, up to a quote. More of the reply shows whether a quote ends it, and what a line break is. */
const written = /(?:[^"\\\n]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})|\n\s*(?=[^\s}]))*/y;

/** Reads an answer that is a text in JSON, while the model writes it. */
export class JsonAnswerReader {
  #value = "";
  #place: number;

  /** @param start The place after the opening quote. */
  constructor(readonly start: number) {
    this.#place = start;
  }

  /** Takes the whole reply so far. Returns the answer so far. */
  push(reply: string): string {
    written.lastIndex = this.#place;
    const [text = ""] = written.exec(reply.slice(0, placeOf(anyToken, reply, this.#place))) ?? [];
    this.#place += text.length;
    const asJson = text.replaceAll(/\p{Cc}/gu, (sign) => JSON.stringify(sign).slice(1, -1));
    this.#value += String(JSON.parse(`"${asJson}"`));
    return this.#value;
  }
}
