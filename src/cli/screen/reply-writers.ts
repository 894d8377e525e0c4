import type { Output } from "../io.js";
import type { Colours } from "./colours.js";
import type { StreamText, TextStream } from "./text-stream.js";

/** A writer of what a model says while it comes. Only a terminal gets the pieces. */
export class PieceWriter {
  protected written = "";
  private stream: TextStream | undefined;
  private lastShown = "";

  /** @param label The text before what comes; it may be empty. */
  constructor(
    protected readonly output: Output | undefined,
    protected readonly label: string,
    private readonly streamText: StreamText,
  ) {}

  /** True if a text has begun, and has not ended. */
  get isOpen(): boolean {
    return this.stream !== undefined;
  }

  /** True if the last line on the screen is an open line of the text. */
  get isInLine(): boolean {
    return this.isOnScreen && !this.lastShown.endsWith("\n");
  }

  /** True if a part of the text is on the screen. Words that were not shown yet can still become something else. */
  protected get isOnScreen(): boolean {
    return this.lastShown !== "";
  }

  /** Takes the next piece of a text. */
  push(piece: string): void {
    if (!this.output?.isTTY) return;
    this.stream ??= this.streamText(this.label);
    this.written += piece;
    this.show(this.stream.push(piece));
  }

  /** Writes the rest of a text that ended or broke off. */
  end(): void {
    if (this.stream) this.show(this.stream.end());
    this.forget();
  }

  /** Leaves what is not on the screen yet to others. The next piece begins another text. */
  forget(): void {
    this.stream = undefined;
    this.written = "";
    this.lastShown = "";
  }

  private show(text: string): void {
    if (text === "") return;
    this.output?.write(text);
    this.lastShown = text;
  }
}

/**
 * Writes replies to a terminal while the model writes them, when it is not known yet whether a reply is a thought or the
 * answer. A mark below the reply says so later. Any other stream gets the thought or the answer when it is known.
 */
export class ReplyWriter extends PieceWriter {
  constructor(
    output: Output | undefined,
    private readonly colours: Colours,
    streamText: StreamText,
  ) {
    super(output, colours.dim("Reply:"), streamText);
  }

  /** Tells whether a text is on the screen as the reply. */
  shows(text: string): boolean {
    return this.isOnScreen && this.written.trim() === text.trim();
  }

  /** Ends the reply, and marks what it is. A thought or an answer that is not on the screen yet is left to others. */
  settle(mark: "a thought" | "the answer" | "broken off"): void {
    if (this.isOpen && (this.isOnScreen || mark === "broken off")) {
      this.end();
      this.output?.write(this.colours.dim(`  (${mark})\n`));
    }
    this.forget();
  }
}

/**
 * A writer of answers. A terminal gets an answer while it comes. Any other stream gets the whole answer, as it is. If a step
 * is printed below the answer before the turn ends, the answer is not printed again.
 */
export class AnswerWriter extends PieceWriter {
  constructor(
    output: Output | undefined,
    private readonly colours: Colours,
    label: string,
    streamText: StreamText,
  ) {
    super(output, label, streamText);
  }

  override end(): void {
    const { written } = this;
    super.end();
    this.written = written;
  }

  /** Takes the answer back, and marks it. Returns what is on the screen. What is not there yet is left to others. */
  takeBack(): string {
    const text = this.isOpen && !this.isOnScreen ? "" : this.written;
    if (this.isOnScreen) {
      this.end();
      this.output?.write(this.colours.dim("  (not the answer)\n"));
    }
    this.forget();
    return text;
  }

  /** Takes the whole answer, and writes the part that was not written yet. */
  finish(answer: string): void {
    if (!this.output?.isTTY) {
      this.output?.write(`${this.label === "" ? "" : `${this.label} `}${answer}\n`);
      return;
    }
    if (!answer.startsWith(this.written)) this.takeBack();
    const rest = answer.slice(this.written.length);
    if (rest !== "") this.push(rest);
    this.end();
    this.forget();
  }
}
