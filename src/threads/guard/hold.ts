import { setTimeout as sleep } from "node:timers/promises";
import type { RunnableConfig } from "@langchain/core/runnables";
import { hasCode } from "../../base/errors.js";
import type { Hold } from "../../core/run/keeper.js";

/** Does something while it holds a thread. */
export async function holding<T>(taken: Promise<Hold>, action: (hold: Hold) => Promise<T>): Promise<T> {
  const hold = await taken;
  return action(hold).finally(() => hold.release());
}

/** The key of a run's configurable that has its hold. So what stores rows for the run knows that the run may. */
export const HOLD_KEY = "__glassloop_hold";

/** Finds the hold of a run on a thread; undefined if the run took none. */
export function holdIn({ configurable }: RunnableConfig, thread: unknown): Hold | undefined {
  const hold: unknown = configurable?.[HOLD_KEY];
  // A tool may run a graph on another thread. That graph inherits the configurable.
  return hold instanceof HeldThread && hold.thread === thread ? hold : undefined;
}

/** The reason why rows of a thread could not be stored. */
export interface Failure {
  readonly error: unknown;
}

/** A hold, with the parts that only the guard uses. */
export class HeldThread implements Hold {
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
