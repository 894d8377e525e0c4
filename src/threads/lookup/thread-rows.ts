import { type ThreadRow, threadColumns } from "../checkpoints/thread-row.js";
import { type Database, numberOf, optionalNumberOf, optionalTextOf, type Row, textOf } from "../databases/database.js";

export async function readThread(database: Database, id: string): Promise<ThreadRow | undefined> {
  const [row] = await database.all(`select ${threadColumns} from glassloop_threads where id = $1`, [id]);
  return row && toSummary(row);
}

/** Reads the ids of all threads. */
export async function readThreadIds(database: Database): Promise<string[]> {
  const rows = await database.all("select id from glassloop_threads order by id");
  return rows.map((row) => textOf(row, "id"));
}

/**
 * Reads threads, the one written last first.
 *
 * @param limit The largest number of threads.
 * @param before The last thread of the page before.
 */
export async function readThreads(
  database: Database,
  limit: number,
  before: ThreadRow | undefined,
): Promise<ThreadRow[]> {
  const where = before === undefined ? "" : "where (updated_at, id) < ($2, $3)";
  const rows = await database.all(
    `select ${threadColumns} from glassloop_threads ${where} order by updated_at desc, id desc limit $1`,
    before === undefined ? [limit] : [limit, before.updatedAt, before.id],
  );
  return rows.map(toSummary);
}

function toSummary(row: Row): ThreadRow {
  const title = optionalTextOf(row, "title");
  const lastQuestion = optionalTextOf(row, "last_question");
  const graph = optionalTextOf(row, "graph");
  const stateVersion = optionalNumberOf(row, "state_version");
  return {
    id: textOf(row, "id"),
    createdAt: textOf(row, "created_at"),
    updatedAt: textOf(row, "updated_at"),
    ...(title !== undefined && { title }),
    ...(lastQuestion !== undefined && { lastQuestion }),
    turns: numberOf(row, "turns"),
    ...(graph !== undefined && { graph }),
    ...(stateVersion !== undefined && { stateVersion }),
  };
}
