import type { Output } from "../io.js";
import type { Colours } from "./colours.js";
import { screenText } from "./screen-text.js";

/** A writer of what a model says while it comes, as it is. Only a terminal gets the pieces. */
export class PieceWriter {
  protected written = "";
  /** What comes next on the screen: it was not shown yet. */
  private due = "";
  private lastShown = "";

  /** @param label The text before what comes; it may be empty. */
  constructor(
    protected readonly output: Output | undefined,
    protected readonly label: string,
  ) {}

  /** True if a text has begun, and has not ended. */
  get isOpen(): boolean {
    return this.isOnScreen || this.due !== "";
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
    if (!this.output?.isTTY || piece === "") return;
    if (!this.isOpen && this.label !== "") this.due = `${this.label} `;
    this.written += piece;
    this.due += screenText(piece);
    if (this.isOnScreen || this.isReady()) this.showDue();
  }

  /** Writes the rest of a text that ended or broke off. */
  end(): void {
    if (this.isOpen) {
      this.due += "\n";
      this.showDue();
    }
    this.forget();
  }

  /** Leaves what is not on the screen yet to others. The next piece begins another text. */
  forget(): void {
    this.written = "";
    this.due = "";
    this.lastShown = "";
  }

  /** Tells whether the beginning of a text can be shown. */
  protected isReady(): boolean {
    return true;
  }

  private showDue(): void {
    this.output?.write(this.due);
    this.lastShown = this.due;
    this.due = "";
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
  ) {
    super(output, colours.dim("Reply:"));
  }

  /** A short reply is known before its first line has ended, and gets its own label. */
  protected override isReady(): boolean {
    return this.written.trimStart().includes("\n");
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
  ) {
    super(output, label);
  }

  override end(): void {
    const { written } = this;
    super.end();
    this.written = written;
  }

  /** Takes the answer back, and marks it. Returns what is on the screen. */
  takeBack(): string {
    const text = this.written;
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
