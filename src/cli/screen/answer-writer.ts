import type { Output } from "../io.js";
import { screenText } from "./screen-text.js";

/** Writes an answer to a terminal as it comes, anywhere else only once it is whole. */
export class AnswerWriter {
  private written = "";

  /** @param label What stands before the answer, with the space after it. */
  constructor(
    private readonly output: Output,
    private readonly label: string,
  ) {}

  /** Takes the next piece of the answer. */
  push(piece: string): void {
    if (!this.output.isTTY) return;
    this.output.write((this.written === "" ? this.label : "") + screenText(piece));
    this.written += piece;
  }

  /** Takes the whole answer: writes what has not come in pieces. */
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
