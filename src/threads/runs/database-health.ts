import { randomUUID } from "node:crypto";
import { type Database, numberOf, readNow, textOf } from "../databases/database.js";

/** The runs of all servers on a database. */
export interface RunCounts {
  /** The number of runs that wait, and of those that are executed. */
  readonly pending: number;
  readonly running: number;
  /** The time for which the oldest pending run has waited, in milliseconds; 0 without one. */
  readonly queueAgeMs: number;
  /** The number of servers and workers that have given a sign of life within half a minute. */
  readonly engines: number;
}

/** How the guard row of each engine begins. */
export const ENGINE_PREFIX = "server:";
const ALIVE_MS = 30_000;

/** Counts the runs that have not ended. */
export async function countRuns(database: Database): Promise<RunCounts> {
  const rows = await database.all(
    `select status, cast(count(*) as integer) as count,
      min(created_at) as oldest from glassloop_runs where status in ('pending', 'running') group by status`,
  );
  const [pending, running] = ["pending", "running"].map((status) =>
    rows.find((row) => textOf(row, "status") === status),
  );
  const now = await readNow(database);
  const [alive] = await database.all(
    "select cast(count(*) as integer) as count from glassloop_guards where substr(thread, 1, 7) = $1 and renewed_at > $2",
    [ENGINE_PREFIX, now - ALIVE_MS],
  );
  return {
    pending: pending ? numberOf(pending, "count") : 0,
    running: running ? numberOf(running, "count") : 0,
    queueAgeMs: pending ? Math.max(0, now - Date.parse(textOf(pending, "oldest"))) : 0,
    engines: alive === undefined ? 0 : numberOf(alive, "count"),
  };
}

/** The size of what is written: more than a free rest of a page. */
const SIZE = 16_384;

/** Writes something to a database, and takes it away again. @throws ThreadsDatabaseError if that is not possible */
export async function testWriting(database: Database): Promise<void> {
  const name = `test:${randomUUID()}`;
  await database.batch([
    { sql: "insert into glassloop_meta (name, value) values ($1, $2)", parameters: [name, "-".repeat(SIZE)] },
    { sql: "delete from glassloop_meta where name = $1", parameters: [name] },
  ]);
}
