/** Takes words out of a text that comes in pieces. A piece may end in the middle of such a word. */
export class HoldingFilter {
  #held = "";

  /**
   * @param clean Takes the words out of a text.
   * @param beginning Returns the length of the longest end of a text with which such a word may begin.
   */
  constructor(
    private readonly clean: (text: string) => string,
    private readonly beginning: (text: string) => number,
  ) {}

  /** Returns what is certain to have no such word. An end that may begin one is held back. */
  push(piece: string): string {
    const text = this.clean(this.#held + piece);
    const end = text.length - this.beginning(text);
    this.#held = text.slice(end);
    return text.slice(0, end);
  }

  /** Returns what was held back. */
  end(): string {
    const held = this.#held;
    this.#held = "";
    return held;
  }
}

/** Returns the length of the longest end of a text with which a word may begin. */
export function beginningOf(word: string, text: string): number {
  for (let length = Math.min(word.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(word.slice(0, length))) return length;
  }
  return 0;
}
