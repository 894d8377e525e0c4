/**
 * Ctrl-C in a chat at a terminal. It stops the turn at work. Without one, or pressed again, it leaves the chat. Pressed once
 * more it ends the process.
 */
export class Interrupts implements Disposable {
  private readonly leave = new AbortController();
  private turn: AbortController | undefined;

  /** @param staysOpen False to leave with the first one, as for a pipe. */
  constructor(private readonly staysOpen: boolean) {
    process.on("SIGINT", this.interrupt);
  }

  /** Aborted when the chat is to be left. */
  get leaving(): AbortSignal {
    return this.leave.signal;
  }

  /** Runs a turn that Ctrl-C stops. */
  async during<T>(run: (stopped: AbortSignal) => Promise<T>): Promise<T> {
    this.turn = new AbortController();
    try {
      return await run(this.turn.signal);
    } finally {
      this.turn = undefined;
    }
  }

  [Symbol.dispose](): void {
    process.off("SIGINT", this.interrupt);
  }

  private readonly interrupt = () => {
    if (this.staysOpen && this.turn && !this.turn.signal.aborted) {
      this.turn.abort();
      return;
    }
    process.off("SIGINT", this.interrupt);
    this.leave.abort();
    this.turn?.abort();
  };
}
