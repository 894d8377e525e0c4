import { type Database, numberOf, optionalTextOf, textOf } from "../databases/database.js";

/** The runs of all servers on a database. */
export interface RunCounts {
  /** The number of runs in each status that a run has. */
  readonly byStatus: ReadonlyMap<string, number>;
  /** The time for which the oldest pending run has waited, in milliseconds; 0 without one. */
  readonly queueAgeMs: number;
}

/** Counts runs by their status. */
export async function countRuns(database: Database): Promise<RunCounts> {
  const rows = await database.all(
    `select status, cast(count(*) as integer) as count,
      min(case when status = 'pending' then created_at end) as oldest from glassloop_runs group by status`,
  );
  const oldest = rows.flatMap((row) => optionalTextOf(row, "oldest") ?? [])[0];
  return {
    byStatus: new Map(rows.map((row) => [textOf(row, "status"), numberOf(row, "count")])),
    queueAgeMs: oldest === undefined ? 0 : Math.max(0, Date.now() - Date.parse(oldest)),
  };
}
