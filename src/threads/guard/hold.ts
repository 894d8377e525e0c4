import type { Failure } from "../checkpoints/joined-writes.js";
import type { Hold } from "./guard.js";

/** A hold, as who gave it sees it. */
export class HeldThread implements Hold {
  readonly #stopping = new AbortController();
  readonly released: Promise<void>;
  #markReleased: () => void = () => undefined;
  #releasing: Promise<Failure | undefined> | undefined;

  constructor(
    readonly owner: string,
    private readonly free: () => Promise<Failure | undefined>,
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

  async release(): Promise<void> {
    await this.#free();
  }

  async end(): Promise<void> {
    const failure = await this.#free();
    if (failure) throw failure.error;
  }

  #free(): Promise<Failure | undefined> {
    this.#releasing ??= this.free().finally(this.#markReleased);
    return this.#releasing;
  }
}
