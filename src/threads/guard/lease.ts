import { setTimeout as sleep } from "node:timers/promises";
import { hasCode } from "../../base/errors.js";
import type { Lease } from "../../core/run/keeper.js";

/** Does something while it holds a thread. */
export async function holding<T>(taken: Promise<Lease>, action: (lease: Lease) => Promise<T>): Promise<T> {
  const lease = await taken;
  return action(lease).finally(() => lease.release());
}

/** The reason why rows of a thread could not be stored. */
export interface Failure {
  readonly error: unknown;
}

/** A lease, with the parts that only the guard uses. */
export class ThreadLease implements Lease {
  readonly #stopping = new AbortController();
  readonly #work = new Set<Promise<unknown>>();
  readonly released: Promise<void>;
  #hasStored = false;
  #markReleased: () => void = () => undefined;
  #releasing: Promise<Failure | undefined> | undefined;

  /** @param patience The time that work gets to end after an interruption, in milliseconds. */
  constructor(
    readonly thread: string,
    readonly owner: string,
    private readonly patience: number,
    private readonly free: () => Promise<Failure | undefined>,
  ) {
    this.released = new Promise((resolve) => {
      this.#markReleased = resolve;
    });
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  get hasStored(): boolean {
    return this.#hasStored;
  }

  /** Tells the run to stop, unless it is ending already. */
  stop(reason: Error): void {
    if (this.#releasing === undefined) this.#stopping.abort(reason);
  }

  begin(): void {
    this.#hasStored = false;
  }

  noteStored(): void {
    this.#hasStored = true;
  }

  keepUntil(work: Promise<unknown>): void {
    const ended = work.catch(() => undefined).finally(() => this.#work.delete(ended));
    this.#work.add(ended);
  }

  async release(): Promise<void> {
    await this.#free();
  }

  async end(): Promise<void> {
    const failure = await this.#free();
    if (failure) throw failure.error;
  }

  #free(): Promise<Failure | undefined> {
    this.#releasing ??= this.#workEnded().then(this.free).finally(this.#markReleased);
    return this.#releasing;
  }

  async #workEnded(): Promise<void> {
    if (!hasCode(this.signal.reason, "thread-interrupted")) return;
    const patience = new AbortController();
    const impatient = sleep(this.patience, undefined, { signal: patience.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.#work), impatient]);
    patience.abort();
  }
}
