import { inGroups } from "../../base/in-groups.js";
import type { Row, Statement } from "./database.js";

/**
 * The most characters of a group. In a larger group, small transactions would wait for large ones. Besides, a group should
 * fit into the socket's buffer: a process that is stopped in the middle of a message keeps rows locked.
 */
const LARGEST = 100_000;

type Transact = (statements: readonly Statement[]) => Promise<Row[][]>;

/**
 * Joins transactions that come at the same time, or while the database is busy with others. A group of them is one message to the
 * database, one commit and one wait for its disk. If the group fails, each of its transactions runs alone, so that a failing
 * transaction loses only its own rows.
 *
 * The transactions of a group must not lock rows that those of another group lock. Two groups could wait for each other.
 *
 * @param transact The function that runs statements as one transaction.
 * @param wasUndone The function that tells from an error whether the database has rolled the transaction back.
 * @returns The function that runs statements as one transaction, perhaps together with others.
 */
export function groupCommit(transact: Transact, wasUndone: (error: unknown) => boolean): Transact {
  const commit = inGroups<readonly Statement[], Row[][]>({
    atOnce: 2,
    count(due) {
      let [size, count] = [0, 0];
      for (const statements of due) {
        size += sizeOf(statements);
        if (size > LARGEST) break;
        count += 1;
      }
      return count;
    },
    async run(group) {
      try {
        const rows = await transact(group.flat());
        return group.map((statements) => rows.splice(0, statements.length));
      } catch (error) {
        if (group.length === 1 || !wasUndone(error)) throw error;
        return group.map(transact);
      }
    },
  });
  return (statements) => (sizeOf(statements) > LARGEST ? transact(statements) : commit(statements));
}

function sizeOf(statements: readonly Statement[]): number {
  const cells = statements.flatMap(({ parameters }) => parameters);
  return cells.reduce((total: number, cell) => total + String(cell).length, 0);
}
