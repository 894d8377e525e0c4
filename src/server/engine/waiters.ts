import { untilAborted } from "../../base/until-aborted.js";

/** A wait for something that has a name, such as a thread. */
export interface Wait extends Disposable {
  /** Waits until the name is called after the last end of this wait, or the signal aborts. Never rejects. */
  changed(signal?: AbortSignal): Promise<void>;
}

/** Those who wait in this process until a name is called. */
export class Waiters {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** The names for which somebody waits. */
  get names(): string[] {
    return [...this.#waiting.keys()];
  }

  /** Begins to wait. */
  wait(name: string): Wait {
    const waiting = this.#waiting.get(name) ?? new Set();
    this.#waiting.set(name, waiting);
    let hasChanged = false;
    let wake = () => {};
    const called = () => {
      hasChanged = true;
      wake();
    };
    waiting.add(called);
    return {
      async changed(signal) {
        const change = new Promise<void>((resolve) => {
          wake = resolve;
          if (hasChanged) resolve();
        });
        await untilAborted(change, signal).catch(() => undefined);
        hasChanged = false;
      },
      [Symbol.dispose]: () => {
        waiting.delete(called);
        if (waiting.size === 0) this.#waiting.delete(name);
      },
    };
  }

  /** Wakes those who wait for a name. */
  call(name: string): void {
    for (const called of this.#waiting.get(name) ?? []) called();
  }
}
