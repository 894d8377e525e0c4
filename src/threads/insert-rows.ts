import { chunksOf } from "./chunks.js";
import type { Cell, Statement } from "./database.js";

/** Inserts rows, many with each statement: it costs less than a statement for each. */
export function insertRows(into: string, rows: readonly (readonly Cell[])[]): Statement[] {
  return chunksOf(rows).map((chunk) => ({ sql: insert(into, chunk), parameters: chunk.flat() }));
}

/** Inserts the rows that are not there yet. */
export function insertMissing(into: string, rows: readonly (readonly Cell[])[]): Statement[] {
  return insertRows(into, rows).map(({ sql, parameters }) => ({ sql: `${sql} on conflict do nothing`, parameters }));
}

function insert(into: string, rows: readonly (readonly Cell[])[]): string {
  let place = 0;
  const values = rows.map((row) => `(${row.map(() => `$${++place}`).join(", ")})`).join(", ");
  return `insert into ${into} values ${values}`;
}
