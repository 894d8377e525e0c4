import type { Statement } from "./database.js";

/** The most groups that are committed at once. With fewer groups each is larger, but a slow one delays more of the others. */
const MOST_AT_ONCE = 2;
/**
 * The most characters of a group. Others in it would wait for a large transaction. And the system should take a group
 * in one go: a process that is stopped amid a message keeps the rows of its first part locked.
 */
const LARGEST = 100_000;

interface Transaction {
  readonly statements: readonly Statement[];
  readonly size: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A queue that joins transactions while the database is busy with others. A group of them is one message to the database, one
 * commit and one wait for its disk. If the group fails, each of its transactions runs alone, so that a failing transaction
 * loses only its own rows.
 *
 * The transactions of a group must not lock rows that those of another group lock. Two groups could wait for each other.
 */
export class GroupCommit {
  readonly #due: Transaction[] = [];
  #committing = 0;

  /**
   * @param transact The function that runs statements as one transaction.
   * @param wasUndone The function that tells from the error of a transaction whether the database did nothing of it.
   */
  constructor(
    private readonly transact: (statements: readonly Statement[]) => Promise<void>,
    private readonly wasUndone: (error: unknown) => boolean,
  ) {}

  /** Runs statements as one transaction, perhaps together with others. */
  commit(statements: readonly Statement[]): Promise<void> {
    const size = sizeOf(statements);
    if (size > LARGEST) return this.transact(statements);
    return new Promise((resolve, reject) => {
      this.#due.push({ statements, size, resolve, reject });
      if (this.#committing < MOST_AT_ONCE) void this.#commitDue();
    });
  }

  async #commitDue(): Promise<void> {
    this.#committing += 1;
    while (this.#due.length > 0) await this.#commitGroup(this.#takeGroup());
    this.#committing -= 1;
  }

  #takeGroup(): Transaction[] {
    let size = 0;
    let count = 0;
    for (const transaction of this.#due) {
      size += transaction.size;
      if (size > LARGEST) break;
      count += 1;
    }
    return this.#due.splice(0, count);
  }

  async #commitGroup(group: readonly Transaction[]): Promise<void> {
    try {
      await this.transact(group.flatMap(({ statements }) => statements));
      for (const { resolve } of group) resolve();
    } catch (error) {
      const canRunAlone = group.length > 1 && this.wasUndone(error);
      for (const { statements, resolve, reject } of group) {
        if (canRunAlone) void this.transact(statements).then(resolve, reject);
        else reject(error);
      }
    }
  }
}

function sizeOf(statements: readonly Statement[]): number {
  let size = 0;
  for (const { parameters } of statements) for (const cell of parameters) size += String(cell).length;
  return size;
}
