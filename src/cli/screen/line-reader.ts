import { createInterface, type Interface } from "node:readline";
import type { Input, Io, Output } from "../io.js";
import { fromOneLine, inOneLine, PasteFilter, PasteMarks } from "./paste-filter.js";

/** What a prompt for many lines has, beside a prompt for one. */
export interface Editing {
  /** The earlier lines, for the arrow keys: the newest first. */
  readonly history: readonly string[];
  /** Finds what a line can become with the Tab key. */
  readonly complete: (line: string) => Promise<readonly string[]>;
}

/**
 * A reader of lines. If stdin is a terminal, it shows a prompt, and a pasted text is one line. Else it reads the lines as
 * they come. At the prompt, Ctrl-C and Ctrl-D end the input. Between two prompts the terminal is in its usual mode, so that
 * Ctrl-C is a signal.
 */
export class LineReader implements Disposable {
  private readonly input: Input;
  private readonly output: Output;
  private readonly keys: PasteFilter | undefined;
  private readonly marks: PasteMarks | undefined;
  private marksBetween = false;
  private readonly reader: Interface;
  private readonly lines: string[] = [];
  /** What the arrow keys bring back: readline's own list. */
  private entered: string[] = [];
  private closed = false;
  private ctrlC = false;
  private waiting = false;
  private asks = false;
  private leavesNext = false;
  private wake = () => {};

  /**
   * @param interrupted A signal that ends the input, as Ctrl-C at the prompt does.
   * @param editing Also makes Ctrl-C clear the line: it ends the input only when it comes twice.
   */
  constructor(
    { stdin, stdout, stderr, env }: Pick<Io, "stdin" | "stdout" | "stderr" | "env">,
    private readonly prompt: string,
    interrupted: AbortSignal,
    private readonly editing?: Editing,
  ) {
    this.input = stdin;
    this.output = stdout.isTTY ? stdout : stderr;
    this.keys = stdin.isTTY ? new PasteFilter(stdin) : undefined;
    this.marks = stdin.isTTY && env.TERM !== "dumb" ? new PasteMarks(this.output) : undefined;
    this.reader = createInterface({
      input: this.keys ?? stdin,
      terminal: this.atTerminal,
      prompt,
      crlfDelay: Number.POSITIVE_INFINITY,
      ...(this.atTerminal ? { output: this.output } : {}),
      ...(editing && { history: editing.history.map(inOneLine), historySize: 1_000 }),
      ...(editing && { completer: completerOf(editing) }),
    });
    this.reader.on("line", (line) => this.take(line));
    // An entry may have several lines, and an answer to a question of a turn is none: see `remember`.
    this.reader.on("history", (history) => {
      history.shift();
      this.entered = history;
    });
    // Ctrl-Z pauses readline. `fg` sends this signal, and the prompt is shown again.
    this.reader.on("SIGCONT", () => this.reader.prompt(true));
    this.reader.on("SIGINT", () => this.pressCtrlC());
    this.reader.once("close", () => this.end());
    interrupted.addEventListener("abort", () => this.interrupt(), { once: true });
    this.leavePrompt();
  }

  private readonly pass = (chunk: Buffer) => void this.keys?.write(chunk);
  private readonly passEnd = () => void this.keys?.end();

  /** True if a person types the lines. */
  get atTerminal(): boolean {
    return this.keys !== undefined;
  }

  /** True if Ctrl-C ended the input. */
  get wasInterrupted(): boolean {
    return this.ctrlC;
  }

  /** True at the end of the input. */
  get isClosed(): boolean {
    return this.closed;
  }

  /**
   * Reads the next line; undefined at the end of the input, or if Ctrl-C gave the line up.
   *
   * @param prompt The prompt for it. Default: that of the reader.
   */
  async next(prompt = this.prompt): Promise<string | undefined> {
    if (this.lines.length === 0 && !this.closed) {
      this.reader.setPrompt(prompt);
      this.enterPrompt();
      await this.lineOrEnd();
      this.leavePrompt();
    }
    return this.lines.shift();
  }

  /**
   * Asks for one line, with a prompt of its own. Lines that are there already are no answer to it. They are kept for
   * {@link next}.
   *
   * @returns The line; undefined at the end of the input.
   */
  async ask(prompt: string): Promise<string | undefined> {
    const earlier = this.lines.splice(0);
    this.asks = true;
    const line = await this.next(prompt);
    this.asks = false;
    this.lines.unshift(...earlier);
    return line;
  }

  /**
   * Runs something between two prompts.
   *
   * @param marksPastes True if a text that is pasted meanwhile is one line of the next prompt. False if another program reads
   *   the keys.
   */
  async between<T>(marksPastes: boolean, run: () => Promise<T>): Promise<T> {
    const before = this.marksBetween;
    this.markBetween(marksPastes);
    try {
      return await run();
    } finally {
      this.markBetween(before);
    }
  }

  /** Lets the arrow keys bring back an entry, whole. */
  remember(entry: string): void {
    const line = inOneLine(entry);
    const others = this.entered.filter((other) => other !== line);
    this.entered.splice(0, this.entered.length, line, ...others);
  }

  /** Ends the input. */
  close(): void {
    this.reader.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  private markBetween(marks: boolean): void {
    this.marksBetween = marks;
    if (!this.closed) this.marks?.set(marks);
  }

  private async lineOrEnd(): Promise<void> {
    this.waiting = true;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
    });
    this.waiting = false;
  }

  private enterPrompt(): void {
    if (!this.atTerminal) return;
    this.input.setRawMode?.(true);
    this.marks?.set(true);
    // Between two prompts the keys belong to others, such as an editor.
    this.input.on("data", this.pass).once("end", this.passEnd).resume();
    if (this.input.readableEnded) this.passEnd();
    this.reader.prompt();
  }

  private leavePrompt(): void {
    if (!this.atTerminal || this.closed) return;
    this.marks?.set(this.marksBetween);
    this.leaveInput();
    this.reader.pause();
    this.input.setRawMode?.(false);
  }

  private leaveInput(): void {
    this.input.off("data", this.pass).off("end", this.passEnd).pause();
  }

  /** Clears the line at a prompt for many lines. Pressed twice, or at another prompt, it ends the input. */
  private pressCtrlC(): void {
    const isEmpty = this.reader.line === "";
    if (this.editing === undefined || this.asks || (isEmpty && this.leavesNext)) {
      this.interrupt();
      return;
    }
    this.leavesNext = true;
    this.reader.write(null, { ctrl: true, name: "e" });
    this.reader.write(null, { ctrl: true, name: "u" });
    this.output.write("\n(Ctrl-C once more leaves.)\n");
    this.wake();
  }

  private interrupt(): void {
    this.ctrlC = true;
    this.reader.close();
  }

  private take(line: string): void {
    this.leavesNext = false;
    this.lines.push(this.atTerminal ? fromOneLine(line) : line);
    this.wake();
  }

  private end(): void {
    this.closed = true;
    this.marks?.set(false);
    if (this.atTerminal) this.leaveInput();
    if (this.waiting && this.atTerminal) this.output.write("\n");
    this.wake();
  }
}

/** Completes as readline wants it: it takes what all possible lines have in common, or shows them. */
function completerOf({ complete }: Editing) {
  return (line: string, done: (error: null, result: [string[], string]) => void) =>
    void complete(line).then(
      (lines) => done(null, [[...lines], line]),
      // A database that cannot be read now must not end the chat.
      () => done(null, [[], line]),
    );
}
