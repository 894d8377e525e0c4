import type { Statement } from "../databases/database.js";
import type { Failure } from "../guard/hold.js";
import type { Item } from "../values/encode.js";
import { itemStatements } from "../values/write-channels.js";

/** The rows to store in a thread, and the items that they refer to. */
export interface Rows {
  readonly statements: readonly Statement[];
  readonly items?: readonly Item[];
}

interface Batch {
  readonly rows: Rows[];
  readonly stored: Promise<void>;
  readonly store: () => void;
}

/**
 * A queue that stores rows of a thread in one transaction if they are written at about the same time.
 *
 * LangGraph writes twice when a super-step ends: the writes of its tasks, and the checkpoint made from them. Much of
 * their content is the same. The queue writes it once and waits for the disk once.
 */
export class JoinedWrites {
  readonly #batches = new Map<string, Batch>();
  readonly #failures = new Map<string, Failure>();

  /**
   * @param write The function that writes to a thread: all statements or none.
   * @param longestWait The longest time that rows wait for others to be stored with, in milliseconds.
   */
  constructor(
    private readonly write: (thread: string, statements: readonly Statement[]) => Promise<void>,
    private readonly longestWait = 20,
  ) {}

  /** Stores rows at once, together with the rows that wait: all or none. */
  store(thread: string, rows: Rows): Promise<void> {
    const { stored, store } = this.#add(thread, rows);
    store();
    return stored;
  }

  /** Stores rows together with the next ones. They wait at most until the end of this turn of the event loop. */
  storeSoon(thread: string, rows: Rows): Promise<void> {
    const { stored, store } = this.#add(thread, rows);
    setImmediate(store);
    return stored;
  }

  /**
   * Stores rows together with the next ones, but at the latest after the longest wait. The caller does not wait. If
   * storing fails, the next rows fail, too, and {@link settle} returns the failure.
   */
  storeWithNext(thread: string, rows: Rows): void {
    const { stored, store } = this.#add(thread, rows);
    const timer = setTimeout(store, this.longestWait);
    stored
      .catch((error: unknown) => {
        this.#failures.set(thread, { error });
      })
      .finally(() => clearTimeout(timer));
  }

  /** Stores the rows that wait. Never throws. Returns and forgets a failure that no caller was told of. */
  async settle(thread: string): Promise<Failure | undefined> {
    const batch = this.#batches.get(thread);
    batch?.store();
    await batch?.stored.catch(() => undefined);
    const failure = this.#failures.get(thread);
    this.#failures.delete(thread);
    return failure;
  }

  #add(thread: string, rows: Rows): Batch {
    const batch = this.#batches.get(thread) ?? this.#begin(thread);
    batch.rows.push(rows);
    return batch;
  }

  #begin(thread: string): Batch {
    const rows: Rows[] = [];
    let store = () => {};
    const due = new Promise<void>((resolve) => {
      store = resolve;
    });
    const stored = due.then(() => {
      this.#batches.delete(thread);
      return this.#write(thread, rows);
    });
    const batch = { rows, stored, store };
    this.#batches.set(thread, batch);
    return batch;
  }

  async #write(thread: string, rows: readonly Rows[]): Promise<void> {
    const failure = this.#failures.get(thread);
    if (failure) throw failure.error;
    const statements = rows.flatMap((written) => written.statements);
    const items = rows.flatMap((written) => written.items ?? []);
    await this.write(thread, [...statements, ...itemStatements(thread, items)]);
  }
}
