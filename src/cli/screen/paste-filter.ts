import { Transform, type TransformCallback } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { Input, Output } from "../io.js";
import { screenText } from "./screen-text.js";

const begins = "\u001b[200~";
const ends = "\u001b[201~";

/**
 * The keys of a terminal, with each pasted text in one line. A line editor would take a pasted line break for Enter, and a
 * pasted tab for completion. So both are encoded, and {@link fromOneLine} decodes them. Other control characters in a paste
 * are left out.
 */
export class PasteFilter extends Transform {
  readonly isTTY = true;
  private readonly decoder = new StringDecoder("utf8");
  private inPaste = false;
  private held = "";

  constructor(private readonly terminal: Input) {
    super({ decodeStrings: true, encoding: "utf8" });
  }

  setRawMode(raw: boolean): this {
    this.terminal.setRawMode?.(raw);
    return this;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let text = this.held + this.decoder.write(chunk);
    let keys = "";
    for (let at = text.indexOf(this.mark); at >= 0; at = text.indexOf(this.mark)) {
      keys += this.keysOf(text.slice(0, at));
      text = text.slice(at + this.mark.length);
      this.inPaste = !this.inPaste;
    }
    this.held = this.beginningOfMark(text);
    keys += this.keysOf(text.slice(0, text.length - this.held.length));
    done(null, keys);
  }

  private get mark(): string {
    return this.inPaste ? ends : begins;
  }

  private keysOf(text: string): string {
    return this.inPaste ? inOneLine(text) : text;
  }

  /** Finds the part of a mark with which a text ends. An Escape alone is the key. */
  private beginningOfMark(text: string): string {
    const length = beginningOf(this.mark, text);
    return length === 1 && text.length === 1 && !this.inPaste ? "" : text.slice(text.length - length);
  }
}

const lineBreak = "␤";
const tab = "␉";

/** Writes a text for a line editor. */
export function inOneLine(text: string): string {
  return screenText(text.replace(/\r\n?|\n/g, lineBreak).replaceAll("\t", tab)).replaceAll("\n", lineBreak);
}

/** Reads a text of a line editor. */
export function fromOneLine(line: string): string {
  return line.replaceAll(lineBreak, "\n").replaceAll(tab, "\t");
}

/**
 * The marks that a terminal sets around a paste, if it is asked to. Ctrl-Z hands the terminal to a shell that may not know
 * these marks. So they are switched off before the process is suspended, and on again when it resumes.
 */
export class PasteMarks {
  private areOn = false;

  constructor(private readonly terminal: Output) {}

  set(on: boolean): void {
    if (on === this.areOn) return;
    this.areOn = on;
    this.terminal.write(on ? "\u001b[?2004h" : "\u001b[?2004l");
    if (on) process.on("SIGTSTP", this.stop);
    else process.off("SIGTSTP", this.stop);
  }

  private readonly stop = () => {
    this.set(false);
    process.once("SIGCONT", () => this.set(true));
    // Nobody listens any more, so the signal stops the process.
    process.kill(process.pid, "SIGTSTP");
  };
}

/** Returns the length of the longest end of a text with which a word may begin. */
function beginningOf(word: string, text: string): number {
  for (let length = Math.min(word.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(word.slice(0, length))) return length;
  }
  return 0;
}
