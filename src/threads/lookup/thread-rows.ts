import { INTERRUPT, WRITES_IDX_MAP } from "@langchain/langgraph-checkpoint";
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

/** Reads threads, the one written last first. @param before The id of the last thread of the page before. */
export async function readThreads(
  database: Database,
  { limit, before, asked = false }: { readonly limit: number; readonly before: string | undefined; asked?: boolean },
): Promise<ThreadRow[]> {
  const conditions = [
    ...(before === undefined ? [] : [`(${written("glassloop_threads.id")}, id) < (${written("$2")}, $2)`]),
    ...(asked ? [hasAsked] : []),
  ];
  const where = conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
  const rows = await database.all(
    `select ${threadColumns} from glassloop_threads ${where} order by ${written("glassloop_threads.id")} desc, id desc limit $1`,
    before === undefined ? [limit] : [limit, before],
  );
  return rows.map(toSummary);
}

/** Holds for threads whose last run may have asked a person. The pending writes are gone when their step has ended. */
const hasAsked = `exists (select 1 from glassloop_writes where thread = glassloop_threads.id and namespace = ''
  and position = ${WRITES_IDX_MAP[INTERRUPT]})`;

/** An SQL expression for when a thread was written last: it grows with every turn, whatever the clocks say. */
export function written(thread: string): string {
  return `(select coalesce(max(sequence), 0) from glassloop_checkpoints where thread = ${thread} and namespace = '')`;
}

function toSummary(row: Row): ThreadRow {
  const title = optionalTextOf(row, "title");
  const lastQuestion = optionalTextOf(row, "last_question");
  const graph = optionalTextOf(row, "graph");
  const stateVersion = optionalNumberOf(row, "state_version");
  const owner = optionalTextOf(row, "owner");
  return {
    id: textOf(row, "id"),
    createdAt: textOf(row, "created_at"),
    updatedAt: textOf(row, "updated_at"),
    ...(title !== undefined && { title }),
    ...(lastQuestion !== undefined && { lastQuestion }),
    turns: numberOf(row, "turns"),
    ...(graph !== undefined && { graph }),
    ...(stateVersion !== undefined && { stateVersion }),
    ...(owner !== undefined && { owner }),
  };
}

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
