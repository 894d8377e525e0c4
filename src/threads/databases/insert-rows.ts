import type { Cell, Statement } from "./database.js";

/**
 * The most rows of a statement. A database remembers each statement that it saw, and each number of rows makes another
 * one.
 */
const LONGEST = 50;

/** Cuts a list into parts that are short enough for the parameters of one statement. */
export function chunksOf<T>(values: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(values.length / LONGEST) }, (_, index) =>
    values.slice(index * LONGEST, (index + 1) * LONGEST),
  );
}

/**
 * Returns statements that insert rows. A statement inserts many rows, because that costs less.
 *
 * @param into The table and its columns.
 * @param ending The end of each statement; empty by default.
 */
export function insertRows(into: string, rows: readonly (readonly Cell[])[], ending = ""): Statement[] {
  return chunksOf(rows).map((chunk) => ({ sql: insert(into, chunk, ending), parameters: chunk.flat() }));
}

/** Returns statements that insert the rows that the table does not have yet. */
export function insertMissing(into: string, rows: readonly (readonly Cell[])[]): Statement[] {
  return insertRows(into, rows, " on conflict do nothing");
}

/** A cache of SQL texts. There are few, and each is needed often. */
const inserts = new Map<string, string>();

function insert(into: string, rows: readonly (readonly Cell[])[], ending: string): string {
  const key = `${rows.length} ${into}${ending}`;
  const known = inserts.get(key);
  if (known !== undefined) return known;
  let place = 0;
  const values = rows.map((row) => `(${row.map(() => `$${++place}`).join(", ")})`).join(", ");
  const sql = `insert into ${into} values ${values}${ending}`;
  inserts.set(key, sql);
  return sql;
}
