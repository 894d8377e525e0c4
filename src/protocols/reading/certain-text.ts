import { mayBecomePlaceholder } from "./placeholders.js";

/** Marks that are removed if they end an answer. White space is removed, too. */
const endMarks = new Set([..." \t\r\n\u00a0\u3000`*\"'"].map((mark) => mark.charCodeAt(0)));

/** Tells whether the last sign of an answer waits: for what follows, or for its second half. */
function isOpen(code: number): boolean {
  return endMarks.has(code) || (code >= 0xd800 && code < 0xdc00);
}

/**
 * The part of an answer that goes out while the model writes it. The beginning is held back until it cannot be a phrase
 * copied from the prompt. The end is held back until more text follows, because white space and marks at the end of an answer
 * are removed.
 */
export class CertainText {
  #sent: number | undefined;

  /**
   * @param mayBeOther Tells whether the beginning of the answer may come to be read in another way.
   */
  constructor(private readonly mayBeOther: (beginning: string) => boolean = () => false) {}

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
    const waits = beginning === "" || mayBecomePlaceholder(beginning) || this.mayBeOther(beginning);
    return waits ? undefined : value.length - beginning.length;
  }
}
