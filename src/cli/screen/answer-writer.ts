import type { Output } from "../io.js";
import type { StreamText, TextStream } from "./text-stream.js";

/**
 * A writer of answers. A terminal gets an answer while it comes. Any other stream gets the whole answer, as it is.
 */
export class AnswerWriter {
  private written = "";
  private stream: TextStream | undefined;
  private lastShown = "\n";

  /** @param label The text before the answer; it may be empty. */
  constructor(
    private readonly output: Output,
    private readonly label: string,
    private readonly streamText: StreamText,
  ) {}

  /** True if an answer has begun, and has not ended. */
  get isOpen(): boolean {
    return this.stream !== undefined;
  }

  /** True if the last line on the screen is an open line of the answer. */
  get isInLine(): boolean {
    return this.isOpen && !this.lastShown.endsWith("\n");
  }

  /** Takes the next piece of the answer. */
  push(piece: string): void {
    if (!this.output.isTTY) return;
    this.stream ??= this.streamText(this.label);
    this.written += piece;
    this.show(this.stream.push(piece));
  }

  /** Takes the whole answer, and writes the part that was not written yet. */
  finish(answer: string): void {
    if (!this.output.isTTY) {
      this.output.write(`${this.label === "" ? "" : `${this.label} `}${answer}\n`);
      return;
    }
    if (!answer.startsWith(this.written)) this.end();
    this.push(answer.slice(this.written.length));
    this.end();
  }

  /** Writes the rest of an answer that ended or broke off. */
  end(): void {
    if (this.stream) this.show(this.stream.end());
    this.stream = undefined;
    this.written = "";
  }

  private show(text: string): void {
    if (text === "") return;
    this.output.write(text);
    this.lastShown = text;
  }
}
