import type { Database } from "../databases/database.js";
import { ThreadGuard } from "../guard/guard.js";
import { JoinedWrites, type Rows } from "./joined-writes.js";

/** Writes to threads, under their guard: a run that lost its thread writes nothing more. */
export class ThreadWriter {
  /** Keeps two runs from using one thread at once. It lets a thread go once all that was written to it is stored. */
  readonly guard: ThreadGuard;
  readonly #joined: JoinedWrites;

  constructor(database: Database) {
    this.#joined = new JoinedWrites((thread, statements) => this.guard.write(thread, statements));
    this.guard = new ThreadGuard(database, undefined, (thread) => this.#joined.settle(thread));
  }

  /**
   * Writes to a thread, all of it or nothing.
   *
   * @throws ThreadTakenOverError when this process held the thread, and lost it. Nothing is written then.
   */
  write(thread: string, rows: Rows): Promise<void> {
    return this.#joined.store(thread, rows);
  }

  /** As {@link write}, but with what is written next, at the latest when this turn of the event loop is over. */
  writeSoon(thread: string, rows: Rows): Promise<void> {
    return this.#joined.storeSoon(thread, rows);
  }

  /** As {@link write}, but with what is written next, a moment later at the latest, and without waiting for it. */
  writeWithNext(thread: string, rows: Rows): void {
    this.#joined.storeWithNext(thread, rows);
  }

  /** Waits until all that was written is stored. @throws What {@link write} throws, when something could not be. */
  async settle(thread: string): Promise<void> {
    const failure = await this.#joined.settle(thread);
    if (failure) throw failure.error;
  }
}
