import type { Output } from "../io.js";
import { screenText } from "./screen-text.js";

/**
 * A writer of answers. A terminal gets the pieces of an answer as they come. Any other stream gets the whole answer.
 */
export class AnswerWriter {
  private written = "";

  /** @param label The text before the answer, with the space after it. */
  constructor(
    private readonly output: Output,
    private readonly label: string,
  ) {}

  /** True if the last line on the screen is that of the answer. */
  get isOpen(): boolean {
    return this.written !== "";
  }

  /** Takes the next piece of the answer. */
  push(piece: string): void {
    if (!this.output.isTTY) return;
    this.output.write((this.written === "" ? this.label : "") + screenText(piece));
    this.written += piece;
  }

  /** Takes the whole answer, and writes the part that was not written yet. */
  finish(answer: string): void {
    if (!answer.startsWith(this.written)) this.endLine();
    const rest = answer.slice(this.written.length);
    const text = this.output.isTTY ? screenText(rest) : rest;
    this.output.write(`${this.written === "" ? this.label : ""}${text}\n`);
    this.written = "";
  }

  /** Ends the line of an answer that broke off. */
  endLine(): void {
    if (this.written !== "") this.output.write("\n");
    this.written = "";
  }
}
