import { splitBlocks } from "./safe-lexer.js";

/** Splits a Markdown text that grows into its blocks. What stands before its last block is read once. */
export class BlockReader {
  #settled: readonly string[] = [];
  #read = "";

  /** Returns the blocks of a text. It may be another text than before, too. */
  read(text: string): readonly string[] {
    if (!text.startsWith(this.#read)) {
      this.#settled = [];
      this.#read = "";
    }
    const blocks = splitBlocks(text.slice(this.#read.length));
    const all = [...this.#settled, ...blocks];
    this.#settled = all.slice(0, -1);
    this.#read += blocks.slice(0, -1).join("");
    return all;
  }
}
