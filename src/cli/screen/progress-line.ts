import type { Output } from "../io.js";
import { screenName } from "./screen-text.js";

/** The time between two lines, where no person looks at a terminal. */
const pauseMs = 2_000;

/** How far a work is, on stderr: one line that changes on a terminal, and else a line every two seconds. */
export class ProgressLine {
  #last = -Infinity;

  constructor(private readonly output: Output) {}

  show(text: string): void {
    if (this.output.isTTY) this.output.write(`\r\u001b[2K${screenName(text)}`);
    else if (performance.now() - this.#last >= pauseMs) {
      this.#last = performance.now();
      this.output.write(`${screenName(text)}\n`);
    }
  }

  /** Makes room for other lines. */
  clear(): void {
    if (this.output.isTTY) this.output.write("\r\u001b[2K");
  }
}
