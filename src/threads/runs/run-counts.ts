import { type Database, numberOf, optionalTextOf, textOf } from "../databases/database.js";

/** The runs of all servers on a database. */
export interface RunCounts {
  /** The number of runs in each status that a run has. */
  readonly byStatus: ReadonlyMap<string, number>;
  /** The time for which the oldest pending run has waited, in milliseconds; 0 without one. */
  readonly queueAgeMs: number;
  /** The number of servers and workers that have given a sign of life within half a minute. */
  readonly engines: number;
}

/** How the guard row of each engine begins. */
export const ENGINE_PREFIX = "server:";
const ALIVE_MS = 30_000;

/** Counts runs by their status. */
export async function countRuns(database: Database): Promise<RunCounts> {
  const rows = await database.all(
    `select status, cast(count(*) as integer) as count,
      min(case when status = 'pending' then created_at end) as oldest from glassloop_runs group by status`,
  );
  const [alive] = await database.all(
    "select cast(count(*) as integer) as count from glassloop_guards where substr(thread, 1, 7) = $1 and renewed_at > $2",
    [ENGINE_PREFIX, Date.now() - ALIVE_MS],
  );
  const oldest = rows.flatMap((row) => optionalTextOf(row, "oldest") ?? [])[0];
  return {
    byStatus: new Map(rows.map((row) => [textOf(row, "status"), numberOf(row, "count")])),
    queueAgeMs: oldest === undefined ? 0 : Math.max(0, Date.now() - Date.parse(oldest)),
    engines: alive === undefined ? 0 : numberOf(alive, "count"),
  };
}
