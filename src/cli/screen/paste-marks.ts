import type { Output } from "../io.js";

/**
 * The marks that a terminal sets around a paste, if it is asked to. Ctrl-Z hands the terminal to a shell that may not know
 * them. So they are taken back before the process stops, and asked for again when it goes on.
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
