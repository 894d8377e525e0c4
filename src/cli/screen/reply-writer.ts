import type { Output } from "../io.js";
import type { Colours } from "./colours.js";
import { screenText } from "./screen-text.js";

/**
 * A writer of replies while the model writes them. Nobody knows yet whether such a reply is a thought or the answer. A
 * mark below it says so later. Only a terminal gets them: any other stream gets the thought or the answer when it is
 * known.
 */
export class ReplyWriter {
  private written = "";

  constructor(
    private readonly output: Output | undefined,
    private readonly colours: Colours,
  ) {}

  /** True if the last line on the screen is that of a reply. */
  get isOpen(): boolean {
    return this.written !== "";
  }

  /** Takes the next piece of a reply. */
  push(piece: string): void {
    if (!this.output?.isTTY) return;
    this.output.write((this.isOpen ? "" : `${this.colours.dim("Reply:")} `) + screenText(piece));
    this.written += piece;
  }

  /** Tells whether a text is on the screen as the reply. */
  shows(text: string): boolean {
    return this.isOpen && this.written.trim() === text.trim();
  }

  /** Ends the reply, and marks what it is. */
  settle(mark: string): void {
    if (!this.isOpen) return;
    this.output?.write(`\n${this.colours.dim(`  (${mark})`)}\n`);
    this.written = "";
  }
}
