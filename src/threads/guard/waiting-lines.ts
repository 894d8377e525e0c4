import { untilAborted } from "../../base/until-aborted.js";

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
    const turn = ahead === undefined ? action() : untilAborted(ahead, signal).then(action);
    // The next in line waits for everyone ahead, also if this one leaves early.
    const end: Promise<unknown> = Promise.allSettled([ahead, turn]).then(() => {
      if (this.#ends.get(name) === end) this.#ends.delete(name);
    });
    this.#ends.set(name, end);
    return turn;
  }
}
