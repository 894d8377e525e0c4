import { itemStatements } from "./channel-writes.js";
import type { Statement } from "./database.js";
import type { Item } from "./value-encoder.js";

/** Rows of a thread, and the content that they refer to. */
export interface Rows {
  readonly statements: readonly Statement[];
  readonly items?: readonly Item[];
  /** Whether they must survive a loss of power once they are stored. */
  readonly durable?: boolean;
}

interface Batch {
  readonly rows: Rows[];
  readonly stored: Promise<void>;
  readonly store: () => void;
}

/**
 * Stores what is written to a thread at about the same time as one transaction. When a super-step ends, LangGraph asks for
 * what its tasks wrote and for the checkpoint that comes of it one right after the other, and much of the content is the
 * same: together they take half the time.
 */
export class JoinedWrites {
  readonly #batches = new Map<string, Batch>();

  /** @param write Writes to a thread, all or nothing. */
  constructor(
    private readonly write: (
      thread: string,
      statements: readonly Statement[],
      options: { readonly durable: boolean },
    ) => Promise<void>,
  ) {}

  /** Stores rows at once, and those that wait with them: all or none. */
  store(thread: string, rows: Rows): Promise<void> {
    const stored = this.storeSoon(thread, rows);
    this.#batches.get(thread)?.store();
    return stored;
  }

  /** Stores rows with those that are stored next, at the latest when this turn of the event loop is over. */
  storeSoon(thread: string, rows: Rows): Promise<void> {
    const batch = this.#batches.get(thread) ?? this.#begin(thread);
    batch.rows.push(rows);
    return batch.stored;
  }

  /** Stores the rows that wait. Never throws: who asked for them learns of it. */
  async flush(thread: string): Promise<void> {
    const batch = this.#batches.get(thread);
    batch?.store();
    await batch?.stored.catch(() => undefined);
  }

  #begin(thread: string): Batch {
    const rows: Rows[] = [];
    let store = () => {};
    const due = new Promise<void>((resolve) => {
      store = resolve;
      setImmediate(resolve);
    });
    const stored = due.then(() => {
      this.#batches.delete(thread);
      const statements = rows.flatMap((written) => written.statements);
      const items = rows.flatMap((written) => written.items ?? []);
      const durable = rows.some((written) => written.durable === true);
      return this.write(thread, [...statements, ...itemStatements(thread, items)], { durable });
    });
    const batch = { rows, stored, store };
    this.#batches.set(thread, batch);
    return batch;
  }
}
