import type { Database } from "../databases/database.js";
import { ThreadGuard } from "../guard/guard.js";
import { JoinedWrites, type Rows, type Writing } from "./joined-writes.js";

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
    this.#joined = new JoinedWrites(({ thread, owner }, statements, synced) =>
      this.guard.write(thread, owner, statements, { synced, grouped: true }),
    );
    this.guard = new ThreadGuard(database, undefined, (hold) => this.#joined.end(hold));
  }

  /**
   * Writes to a thread: all rows or none.
   *
   * @throws ThreadError "thread-taken-over" if the run held the thread and lost it; ThreadInUseError if the run took
   *   no hold, and another run has one. Nothing is written in these cases.
   */
  write(writing: Writing, rows: Rows): Promise<void> {
    return this.#joined.store(writing, rows);
  }

  /**
   * Writes as {@link write}, but together with the next rows. It waits at most until the end of this turn of the event
   * loop.
   */
  writeSoon(writing: Writing, rows: Rows): Promise<void> {
    return this.#joined.storeSoon(writing, rows);
  }

  /**
   * Writes as {@link write}, but together with the next rows, at the latest after 20 ms. The caller does not wait. A
   * failure is thrown when the run writes again, or releases the thread.
   */
  writeWithNext(writing: Writing, rows: Rows): void {
    this.#joined.storeWithNext(writing, rows);
  }

  /** Waits until all rows of a thread are stored, or have failed. */
  settle(thread: string): Promise<void> {
    return this.#joined.settle(thread);
  }
}
