import type { Output } from "../io.js";
import type { Colours } from "./colours.js";
import { screenText } from "./screen-text.js";

/** How a text that comes in pieces is shown. */
interface LiveTextStyle {
  readonly colours: Colours;
  /** The text before what comes. Default: none. */
  readonly label?: string;
  /** True to show nothing before the end of the first line: a short text may get another label. */
  readonly waitsForLine?: boolean;
}

/** What a model says while it comes, as it is. Only a terminal gets the pieces. */
export class LiveText {
  /** The pieces so far. */
  text = "";
  /** What comes next on the screen: it was not shown yet, and can still become something else. */
  private due = "";
  private lastShown = "";

  constructor(
    private readonly output: Output | undefined,
    private readonly style: LiveTextStyle,
  ) {}

  /** True if a text has begun, and has not ended. */
  get isOpen(): boolean {
    return this.isOnScreen || this.due !== "";
  }

  /** True if the last line on the screen is an open line of the text. */
  get isInLine(): boolean {
    return this.isOnScreen && !this.lastShown.endsWith("\n");
  }

  private get isOnScreen(): boolean {
    return this.lastShown !== "";
  }

  /** Tells whether it is this text that is on the screen. */
  shows(text: string): boolean {
    return this.isOnScreen && this.text.trim() === text.trim();
  }

  /** Takes the next piece of a text. */
  push(piece: string): void {
    const { label = "", waitsForLine = false } = this.style;
    if (!this.output?.isTTY || piece === "") return;
    if (!this.isOpen && label !== "") this.due = `${label} `;
    this.text += piece;
    this.due += screenText(piece);
    if (this.isOnScreen || !waitsForLine || this.text.trimStart().includes("\n")) this.showDue();
  }

  /** Writes the rest of a text that ended or broke off. The pieces stay known. */
  end(): void {
    if (!this.isOpen) return;
    this.due += "\n";
    this.showDue();
    this.lastShown = "";
  }

  /** Ends the text, and marks what it is. What is not on the screen yet is left to others, unless it broke off. */
  settle(mark: "a thought" | "the answer" | "not the answer" | "broken off"): void {
    if (this.isOnScreen || (this.isOpen && mark === "broken off")) {
      this.end();
      this.output?.write(this.style.colours.dim(`  (${mark})\n`));
    }
    this.forget();
  }

  /** Takes the whole text, and writes what was not written yet. A text that began otherwise is taken back. */
  finish(whole: string): void {
    const { label = "" } = this.style;
    if (!this.output?.isTTY) {
      this.output?.write(`${label === "" ? "" : `${label} `}${whole}\n`);
      return;
    }
    if (!whole.startsWith(this.text)) this.settle("not the answer");
    this.push(whole.slice(this.text.length));
    this.end();
    this.forget();
  }

  /** The next piece begins another text. */
  forget(): void {
    this.text = "";
    this.due = "";
    this.lastShown = "";
  }

  private showDue(): void {
    this.output?.write(this.due);
    this.lastShown = this.due;
    this.due = "";
  }
}
