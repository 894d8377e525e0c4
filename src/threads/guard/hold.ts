/** A thread that is kept from others. */
export interface Hold {
  /** Aborts when the run has to stop: another one interrupted it, or took its thread over. The reason is the error to throw. */
  readonly signal: AbortSignal;
  /** Lets others have the thread. Never throws, and may be called twice. */
  release(): Promise<void>;
  /** The same. @throws What was written to the thread and could not be stored, when nobody was told of it. */
  end(): Promise<void>;
}

/** Why something that was written to a thread could not be stored. */
export interface Failure {
  readonly error: unknown;
}

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
