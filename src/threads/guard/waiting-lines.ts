/** The waiting lines, one for each name: first come, first served. */
export class Lines {
  readonly #ends = new Map<string, Promise<unknown>>();

  /**
   * Runs an action when all actions ahead in the line have ended.
   *
   * @param signal A signal to leave the line. The promise then rejects with its reason.
   */
  async wait<T>(name: string, signal: AbortSignal | undefined, action: () => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    const ahead = this.#ends.get(name);
    const turn = ahead === undefined ? action() : orAborted(ahead, signal).then(action);
    // The next in line waits for everyone ahead, also if this one leaves early.
    const end: Promise<unknown> = Promise.allSettled([ahead, turn]).then(() => {
      if (this.#ends.get(name) === end) this.#ends.delete(name);
    });
    this.#ends.set(name, end);
    return turn;
  }
}

/** Waits for a promise. @throws The reason of the signal, if it aborts first. */
function orAborted(promise: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const abort = () => reject(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    void promise.then(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
  });
}
