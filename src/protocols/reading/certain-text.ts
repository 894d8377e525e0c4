import { mayBecomePlaceholder } from "./placeholders.js";

/** Marks that are removed if they end an answer. White space is removed, too. */
const endMarks = new Set([..." \t\r\n\u00a0\u3000`*\"'"].map((mark) => mark.charCodeAt(0)));

/** Tells whether the last sign of an answer waits: for what follows, or for its second half. */
function isOpen(code: number): boolean {
  return endMarks.has(code) || (code >= 0xd800 && code < 0xdc00);
}

/**
 * The beginning of an answer that may be JSON, from which the answer would be taken, or a second `AI:` of a model that speaks as
 * `AI:`.
 */
const mayBeOther = /^(?:`{1,2}$|```\w*\s*$|(?:```\w*\s*)?\{|(?:a|as|ass.{0,6}|ai\s*|(?:ai|assistant)\s*[:：].*)$)/is;

/**
 * The part of an answer that goes out while the model writes it. The beginning is held back until it cannot be a phrase
 * copied from the prompt. The end is held back until more text follows, because white space and marks at the end of an answer
 * are removed.
 */
export class CertainText {
  #sent: number | undefined;

  /** Takes the answer so far. Returns what goes out now. */
  grow(value: string): string {
    this.#sent ??= this.#beginningOf(value);
    if (this.#sent === undefined) return "";
    let end = value.length;
    while (end > this.#sent && isOpen(value.charCodeAt(end - 1))) end -= 1;
    if (end <= this.#sent) return "";
    const piece = value.slice(this.#sent, end);
    this.#sent = end;
    return piece;
  }

  #beginningOf(value: string): number | undefined {
    const beginning = value.trimStart();
    const waits = beginning === "" || mayBecomePlaceholder(beginning) || mayBeOther.test(beginning);
    return waits ? undefined : value.length - beginning.length;
  }
}
