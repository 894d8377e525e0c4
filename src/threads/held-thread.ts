import type { Hold } from "./guard.js";

/** A hold, as who gave it sees it. */
export class HeldThread implements Hold {
  readonly #stopping = new AbortController();
  readonly released: Promise<void>;
  #markReleased: () => void = () => undefined;
  #releasing: Promise<void> | undefined;

  constructor(
    readonly owner: string,
    private readonly free: () => Promise<void>,
  ) {
    this.released = new Promise((resolve) => {
      this.#markReleased = resolve;
    });
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Tells the run to stop, unless it is ending already. */
  stop(reason: Error): void {
    if (this.#releasing === undefined) this.#stopping.abort(reason);
  }

  release(): Promise<void> {
    this.#releasing ??= this.free().then(this.#markReleased);
    return this.#releasing;
  }
}
