import type { Cell, Statement } from "./database.js";

/** Databases keep the statements that they saw: there are as many of a kind as a chunk has lengths. */
const LONGEST = 50;

/** Cuts a list into parts that a statement can have parameters for. */
export function chunksOf<T>(values: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(values.length / LONGEST) }, (_, index) =>
    values.slice(index * LONGEST, (index + 1) * LONGEST),
  );
}

/** Inserts rows, many with each statement: it costs less than a statement for each. */
export function insertRows(into: string, rows: readonly (readonly Cell[])[], ending = ""): Statement[] {
  return chunksOf(rows).map((chunk) => ({ sql: insert(into, chunk, ending), parameters: chunk.flat() }));
}

/** Inserts the rows that are not there yet. */
export function insertMissing(into: string, rows: readonly (readonly Cell[])[]): Statement[] {
  return insertRows(into, rows, " on conflict do nothing");
}

/** There are few, and each is needed again and again. */
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
