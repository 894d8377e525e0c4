import type { Statement } from "../databases/database.js";
import type { Failure } from "../guard/hold.js";
import type { Item } from "../values/encode.js";
import { itemStatements } from "../values/write-channels.js";

/** Rows of a thread, and the content that they refer to. */
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
 * Stores what is written to a thread at about the same time as one transaction. When a super-step ends, LangGraph asks for
 * what its tasks wrote and for the checkpoint that comes of it one right after the other, and much of the content is the
 * same: together they are written once, and waited for once.
 */
export class JoinedWrites {
  readonly #batches = new Map<string, Batch>();
  readonly #failures = new Map<string, Failure>();

  /**
   * @param write Writes to a thread, all or nothing.
   * @param longestWait How long rows wait for those that they are to be stored with, in milliseconds.
   */
  constructor(
    private readonly write: (thread: string, statements: readonly Statement[]) => Promise<void>,
    private readonly longestWait = 20,
  ) {}

  /** Stores rows at once, and those that wait with them: all or none. */
  store(thread: string, rows: Rows): Promise<void> {
    const { stored, store } = this.#add(thread, rows);
    store();
    return stored;
  }

  /** Stores rows with those that are stored next, at the latest when this turn of the event loop is over. */
  storeSoon(thread: string, rows: Rows): Promise<void> {
    const { stored, store } = this.#add(thread, rows);
    setImmediate(store);
    return stored;
  }

  /**
   * Stores rows with those that are stored next, at the latest after the longest wait, while whoever asked goes on. When
   * that fails, what is stored next fails, too, and {@link settle} tells of it.
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

  /** Stores the rows that wait. Never throws: it returns a failure that nobody was told of, and forgets it. */
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
