import { createInterface, type Interface } from "node:readline";
import type { Input, Io, Output } from "../io.js";

/**
 * A reader of lines. If stdin is a terminal, it shows a prompt. Else it reads the lines as they come. At the prompt,
 * Ctrl-C and Ctrl-D end the input. Between two prompts the terminal is in its usual mode, so that Ctrl-C is a signal.
 */
export class LineReader implements Disposable {
  private readonly input: Input;
  private readonly output: Output;
  private readonly reader: Interface;
  private readonly lines: string[] = [];
  private closed = false;
  private ctrlC = false;
  private waiting = false;
  private wake = () => {};

  /** @param interrupted A signal that ends the input, as Ctrl-C at the prompt does. */
  constructor(
    { stdin, stdout, stderr }: Pick<Io, "stdin" | "stdout" | "stderr">,
    private readonly prompt: string,
    interrupted: AbortSignal,
  ) {
    this.input = stdin;
    this.output = stdout.isTTY ? stdout : stderr;
    const terminal = this.atTerminal;
    this.reader = createInterface({
      input: stdin,
      terminal,
      prompt,
      crlfDelay: Number.POSITIVE_INFINITY,
      ...(terminal ? { output: this.output } : {}),
    });
    this.reader.on("line", (line) => this.take(line));
    // Ctrl-Z pauses readline. `fg` sends this signal, and the prompt is shown again.
    this.reader.on("SIGCONT", () => this.reader.prompt(true));
    this.reader.once("SIGINT", () => this.interrupt());
    this.reader.once("close", () => this.end());
    interrupted.addEventListener("abort", () => this.interrupt(), { once: true });
    this.leavePrompt();
  }

  /** True if a person types the lines. */
  get atTerminal(): boolean {
    return this.input.isTTY === true;
  }

  /** True if Ctrl-C ended the input. */
  get wasInterrupted(): boolean {
    return this.ctrlC;
  }

  /** Reads the next line; undefined at the end of the input. */
  async next(): Promise<string | undefined> {
    if (this.lines.length === 0 && !this.closed) {
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
    this.reader.setPrompt(prompt);
    const line = await this.next();
    this.reader.setPrompt(this.prompt);
    this.lines.unshift(...earlier);
    return line;
  }

  /** Ends the input. */
  close(): void {
    this.reader.close();
  }

  [Symbol.dispose](): void {
    this.close();
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
    this.reader.prompt();
  }

  private leavePrompt(): void {
    if (!this.atTerminal || this.closed) return;
    this.reader.pause();
    this.input.setRawMode?.(false);
  }

  private interrupt(): void {
    this.ctrlC = true;
    this.reader.close();
  }

  private take(line: string): void {
    this.lines.push(line);
    this.wake();
  }

  private end(): void {
    this.closed = true;
    if (this.waiting && this.atTerminal) this.output.write("\n");
    this.wake();
  }
}
