import type { Database } from "../databases/database.js";
import { ThreadGuard } from "../guard/guard.js";
import { JoinedWrites, type Rows } from "./joined-writes.js";

/**
 * The writer of all threads of a database. It writes under their guard: a run that lost its thread writes nothing more.
 */
export class ThreadWriter {
  /**
   * The guard that keeps two runs from using one thread at once. It stores all that waits before it releases a thread.
   */
  readonly guard: ThreadGuard;
  readonly #joined: JoinedWrites;

  constructor(database: Database) {
    this.#joined = new JoinedWrites((thread, statements) => this.guard.write(thread, statements));
    this.guard = new ThreadGuard(database, undefined, (thread) => this.#joined.settle(thread));
  }

  /**
   * Writes to a thread: all rows or none.
   *
   * @throws ThreadTakenOverError if this process held the thread and lost it. Nothing is written in that case.
   */
  write(thread: string, rows: Rows): Promise<void> {
    return this.#joined.store(thread, rows);
  }

  /**
   * Writes as {@link write}, but together with the next rows. It waits at most until the end of this turn of the event
   * loop.
   */
  writeSoon(thread: string, rows: Rows): Promise<void> {
    return this.#joined.storeSoon(thread, rows);
  }

  /** Writes as {@link write}, but together with the next rows, at the latest after 20 ms. The caller does not wait. */
  writeWithNext(thread: string, rows: Rows): void {
    this.#joined.storeWithNext(thread, rows);
  }

  /** Waits until all rows are stored. @throws The error of a {@link writeWithNext} that failed. */
  async settle(thread: string): Promise<void> {
    const failure = await this.#joined.settle(thread);
    if (failure) throw failure.error;
  }
}
