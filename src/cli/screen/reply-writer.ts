import type { Output } from "../io.js";
import type { Colours } from "./colours.js";
import type { StreamText, TextStream } from "./text-stream.js";

/**
 * A writer of replies while the model writes them. Nobody knows yet whether such a reply is a thought or the answer. A
 * mark below it says so later. Only a terminal gets them: any other stream gets the thought or the answer when it is
 * known.
 */
export class ReplyWriter {
  private written = "";
  private stream: TextStream | undefined;
  private lastShown = "";

  constructor(
    private readonly output: Output | undefined,
    private readonly colours: Colours,
    private readonly streamText: StreamText,
  ) {}

  /** True if a reply has begun, and has not ended. */
  get isOpen(): boolean {
    return this.stream !== undefined;
  }

  /** True if the last line on the screen is an open line of the reply. */
  get isInLine(): boolean {
    return this.isOnScreen && !this.lastShown.endsWith("\n");
  }

  /** True if a part of the reply is on the screen. Words that were not shown yet can still become something else. */
  private get isOnScreen(): boolean {
    return this.lastShown !== "";
  }

  /** Takes the next piece of a reply. */
  push(piece: string): void {
    if (!this.output?.isTTY) return;
    this.stream ??= this.streamText(this.colours.dim("Reply:"));
    this.written += piece;
    this.show(this.stream.push(piece));
  }

  /** Tells whether a text is on the screen as the reply. */
  shows(text: string): boolean {
    return this.isOnScreen && this.written.trim() === text.trim();
  }

  /** Ends the reply, and marks what it is. A thought or an answer that is not on the screen yet is left to others. */
  settle(mark: "a thought" | "the answer" | "broken off"): void {
    if (this.stream && (this.isOnScreen || mark === "broken off")) {
      this.show(this.stream.end());
      this.output?.write(this.colours.dim(`  (${mark})\n`));
    }
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
