import type { Row, Statement } from "./database.js";

/** The most groups that are committed at once. With fewer groups each is larger, but a slow one delays more of the others. */
const MOST_AT_ONCE = 2;
/**
 * The most characters of a group. In a larger group, small transactions would wait for large ones. Besides, a group should
 * fit into the socket's buffer: a process that is stopped in the middle of a message keeps rows locked.
 */
const LARGEST = 100_000;

type Transact = (statements: readonly Statement[]) => Promise<Row[][]>;

interface Transaction {
  readonly statements: readonly Statement[];
  readonly size: number;
  readonly resolve: (rows: Row[][] | Promise<Row[][]>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Joins transactions that come while the database is busy with others. A group of them is one message to the database, one
 * commit and one wait for its disk. If the group fails, each of its transactions runs alone, so that a failing transaction
 * loses only its own rows.
 *
 * The transactions of a group must not lock rows that those of another group lock. Two groups could wait for each other.
 *
 * @param transact The function that runs statements as one transaction.
 * @param wasUndone The function that tells from an error whether the database has rolled the transaction back.
 * @returns The function that runs statements as one transaction, perhaps together with others.
 */
export function groupCommit(transact: Transact, wasUndone: (error: unknown) => boolean): Transact {
  const due: Transaction[] = [];
  let committing = 0;

  async function commitDue(): Promise<void> {
    committing += 1;
    while (due.length > 0) {
      let [size, count] = [0, 0];
      for (; count < due.length && size + (due[count]?.size ?? 0) <= LARGEST; count += 1) size += due[count]?.size ?? 0;
      await commitGroup(due.splice(0, count));
    }
    committing -= 1;
  }

  async function commitGroup(group: readonly Transaction[]): Promise<void> {
    try {
      const rows = await transact(group.flatMap(({ statements }) => statements));
      for (const { statements, resolve } of group) resolve(rows.splice(0, statements.length));
    } catch (error) {
      const canRunAlone = group.length > 1 && wasUndone(error);
      for (const { statements, resolve, reject } of group) {
        if (canRunAlone) resolve(transact(statements));
        else reject(error);
      }
    }
  }

  return (statements) => {
    const cells = statements.flatMap(({ parameters }) => parameters);
    const size = cells.reduce((total: number, cell) => total + String(cell).length, 0);
    if (size > LARGEST) return transact(statements);
    return new Promise((resolve, reject) => {
      due.push({ statements, size, resolve, reject });
      if (committing < MOST_AT_ONCE) void commitDue();
    });
  };
}
