import type { Database, Statement } from "../databases/database.js";

/** A run in the hands of a server. Another server that took it over since has another attempt. */
export interface HeldRun {
  readonly id: string;
  readonly thread: string;
  readonly holder: string;
  readonly attempt: number;
}

/** The condition that the run of the first three parameters is held so. */
export const isHeld = "id = $1 and holder = $2 and attempt = cast($3 as integer)";

/**
 * Returns the statement that fails, with its transaction, if another server has the run by now: it inserts null as an id,
 * which the column refuses.
 */
export function heldStatement(database: Database, { id, holder, attempt }: HeldRun): Statement {
  const lock = database.hasManyWriters ? "for key share" : "";
  return {
    sql: `insert into glassloop_runs (id) select null where not exists (
      select 1 from glassloop_runs where ${isHeld} ${lock})`,
    parameters: [id, holder, attempt],
  };
}
