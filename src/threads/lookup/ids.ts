import { type Database, textOf } from "../databases/database.js";

/** Reads the ids that begin with a text, in their order. */
export async function readIdsFrom(database: Database, beginning: string, limit: number): Promise<string[]> {
  const query = "select id from glassloop_threads where substr(id, 1, length($1)) = $1 order by id limit $2";
  return (await database.all(query, [beginning, limit])).map((row) => textOf(row, "id"));
}

/** Reads the ids of a thread's checkpoints that begin with a text, the oldest first. */
export async function readCheckpointsFrom(
  database: Database,
  thread: string,
  beginning: string,
  limit: number,
): Promise<string[]> {
  const query = `select id from glassloop_checkpoints where thread = $1 and namespace = ''
    and substr(id, 1, length($2)) = $2 order by sequence limit $3`;
  return (await database.all(query, [thread, beginning, limit])).map((row) => textOf(row, "id"));
}
