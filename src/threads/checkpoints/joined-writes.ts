import { setImmediate } from "node:timers";
import type { Statement } from "../databases/database.js";
import type { Failure } from "../guard/lease.js";
import { Lines } from "../guard/waiting-lines.js";
import type { Item } from "../values/serialize.js";
import { itemStatements } from "../values/write-channels.js";

/** A run that writes to a thread. Without an owner it has no lease on the thread. */
export interface Writing {
  readonly thread: string;
  readonly owner: string | undefined;
}

/** The rows to store in a thread, and the items that they refer to. */
export interface Rows {
  readonly statements: readonly Statement[];
  readonly items?: readonly Item[];
  /** False if a loss of power may undo the rows; true by default. */
  readonly synced?: boolean;
}

interface Batch {
  readonly thread: string;
  readonly rows: Rows[];
  readonly stored: Promise<void>;
  readonly store: () => void;
}

/**
 * The writer of all threads of a database. Rows that a run writes at about the same time are stored in one transaction. A run
 * that lost its thread writes nothing more: all methods fail with what the given function throws.
 *
 * LangGraph writes twice when a super-step ends: the writes of its tasks, and the checkpoint made from them. Much of their
 * content is the same. This class writes shared content once and waits for the disk once. The transactions of a thread never
 * overlap.
 */
export class JoinedWrites {
  /** The batches that wait, by the keys of their runs. */
  readonly #batches = new Map<string, Batch>();
  /** The failures that no caller was told of, by the keys of their runs. */
  readonly #failures = new Map<string, Failure>();
  readonly #lines = new Lines();

  /**
   * @param write The function that writes to a thread: all statements or none.
   * @param longestWait The longest time that rows wait for others to be stored with, in milliseconds.
   */
  constructor(
    private readonly write: (writing: Writing, statements: readonly Statement[], synced: boolean) => Promise<void>,
    private readonly longestWait = 20,
  ) {}

  /** Stores rows at once, together with the rows that wait: all or none. */
  store(writing: Writing, rows: Rows): Promise<void> {
    const { stored, store } = this.#add(writing, rows);
    store();
    return stored;
  }

  /** Stores rows together with the next ones. They wait at most until the end of this turn of the event loop. */
  storeSoon(writing: Writing, rows: Rows): Promise<void> {
    const { stored, store } = this.#add(writing, rows);
    setImmediate(store);
    return stored;
  }

  /**
   * Stores rows together with the next ones, but at the latest after the longest wait. The caller does not wait. If
   * storing fails, the next rows of the run fail, too, and {@link end} returns the failure.
   *
   * @returns A promise for those who only want to know.
   */
  storeWithNext(writing: Writing, rows: Rows): Promise<void> {
    const { stored, store } = this.#add(writing, rows);
    const timer = setTimeout(store, this.longestWait);
    stored
      .catch((error: unknown) => {
        this.#failures.set(keyOf(writing), { error });
      })
      .finally(() => clearTimeout(timer));
    return stored;
  }

  /** Stores all rows of a thread that wait. Never throws: a failure belongs to the run that wrote the rows. */
  async settle(thread: string): Promise<void> {
    const due = [...this.#batches.values()].filter((batch) => batch.thread === thread);
    for (const { store } of due) store();
    await Promise.allSettled(due.map(({ stored }) => stored));
    await this.#lines.wait(thread, undefined, async () => undefined);
  }

  /** Stores the rows of a run that wait. Returns and forgets a failure that no caller was told of. Never throws. */
  async end(writing: Writing): Promise<Failure | undefined> {
    await this.settle(writing.thread);
    const failure = this.#failures.get(keyOf(writing));
    this.#failures.delete(keyOf(writing));
    return failure;
  }

  #add(writing: Writing, rows: Rows): Batch {
    const batch = this.#batches.get(keyOf(writing)) ?? this.#begin(writing);
    batch.rows.push(rows);
    return batch;
  }

  #begin(writing: Writing): Batch {
    const key = keyOf(writing);
    const rows: Rows[] = [];
    let store = () => {};
    const due = new Promise<void>((resolve) => {
      store = resolve;
    });
    const stored = due.then(() => {
      this.#batches.delete(key);
      return this.#lines.wait(writing.thread, undefined, () => this.#write(writing, rows));
    });
    const batch = { thread: writing.thread, rows, stored, store };
    this.#batches.set(key, batch);
    return batch;
  }

  async #write(writing: Writing, rows: readonly Rows[]): Promise<void> {
    const failure = this.#failures.get(keyOf(writing));
    if (failure) throw failure.error;
    const statements = rows.flatMap((written) => written.statements);
    const items = rows.flatMap((written) => written.items ?? []);
    const synced = rows.some(({ synced = true }) => synced);
    await this.write(writing, [...statements, ...itemStatements(writing.thread, items)], synced);
  }
}

function keyOf({ thread, owner = "" }: Writing): string {
  return `${owner} ${thread}`;
}
