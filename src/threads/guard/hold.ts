/** The right of one run to use a thread. */
export interface Hold {
  /**
   * A signal that aborts if the run has to stop: another run interrupted it, or took the thread over. Its reason is the
   * error to throw.
   */
  readonly signal: AbortSignal;
  /** Releases the thread. Never throws, and may be called twice. */
  release(): Promise<void>;
  /** Releases the thread, too. @throws The error of rows that could not be stored, if no caller was told of it. */
  end(): Promise<void>;
}

/** The reason why rows of a thread could not be stored. */
export interface Failure {
  readonly error: unknown;
}

/** A hold, with the parts that only the guard uses. */
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
