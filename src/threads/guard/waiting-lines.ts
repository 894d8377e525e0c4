/** The waiting lines, one for each name: first come, first served. */
export class Lines {
  readonly #ends = new Map<string, Promise<unknown>>();

  /**
   * Runs an action when all actions ahead in the line have ended.
   *
   * @param signal A signal to leave the line. The promise then rejects with its reason.
   */
  async wait<T>(name: string, signal: AbortSignal | undefined, action: () => Promise<T>): Promise<T> {
    const ahead = this.#ends.get(name);
    const turn = orAborted(ahead, signal).then(action);
    // The next in line waits for everyone ahead, also if this one leaves early.
    const end = Promise.allSettled([ahead, turn]);
    this.#ends.set(name, end);
    void end.then(() => {
      if (this.#ends.get(name) === end) this.#ends.delete(name);
    });
    return turn;
  }
}

/** Waits for a promise. @throws The reason of the signal, if it aborts first. */
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
