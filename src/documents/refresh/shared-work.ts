interface Work<T> {
  readonly result: Promise<T>;
  readonly stop: AbortController;
  waiting: number;
}

/** Work that several callers wait for at the same time. It is stopped when none of them waits any more. */
export class SharedWork<T> {
  #work: Work<T> | undefined;

  /**
   * Waits for the work that is under way, or starts it.
   *
   * @param signal Ends this caller's wait.
   * @throws What the work throws; the reason of the signal.
   */
  async join(signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    this.#work ??= this.#begin(start);
    const work = this.#work;
    work.waiting++;
    let leave = () => {};
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(signal?.reason);
    });
    signal?.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([work.result, left]);
    } finally {
      signal?.removeEventListener("abort", leave);
      if (--work.waiting === 0) this.#end(work);
    }
  }

  #begin(start: (signal: AbortSignal) => Promise<T>): Work<T> {
    const stop = new AbortController();
    const work: Work<T> = { result: start(stop.signal), stop, waiting: 0 };
    work.result.catch(() => {}).finally(() => this.#end(work));
    return work;
  }

  #end(work: Work<T>): void {
    if (this.#work === work) this.#work = undefined;
    work.stop.abort();
  }
}
