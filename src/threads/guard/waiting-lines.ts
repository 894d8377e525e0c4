/** Waiting lines, one for each name: first come, first served. */
export class Lines {
  readonly #ends = new Map<string, Promise<unknown>>();

  /**
   * Runs an action once everybody ahead in the line has had a turn.
   *
   * @param signal Leaves the line; the returned promise rejects with its reason.
   */
  async wait<T>(name: string, signal: AbortSignal | undefined, action: () => Promise<T>): Promise<T> {
    const ahead = this.#ends.get(name);
    const turn = orAborted(ahead, signal).then(action);
    // Whoever leaves early does not let those behind pass those ahead.
    const end = Promise.allSettled([ahead, turn]);
    this.#ends.set(name, end);
    void end.then(() => {
      if (this.#ends.get(name) === end) this.#ends.delete(name);
    });
    return turn;
  }
}

/** What a promise resolves to, or the reason of the signal when that comes first. */
async function orAborted(promise: Promise<unknown> | undefined, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  if (promise === undefined) return;
  await new Promise<void>((resolve, reject) => {
    const abort = () => reject(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    void promise.then(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
  });
}
