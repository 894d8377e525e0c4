import { INTERRUPT, WRITES_IDX_MAP } from "@langchain/langgraph-checkpoint";
import { type ThreadRow, threadColumns } from "../checkpoints/thread-row.js";
import {
  type Cell,
  type Database,
  numberOf,
  optionalNumberOf,
  optionalTextOf,
  type Row,
  textOf,
} from "../databases/database.js";
import { hasWords, wordsOf } from "./has-words.js";

export async function readThread(database: Database, id: string): Promise<ThreadRow | undefined> {
  const [row] = await database.all(`select ${threadColumns} from glassloop_threads where id = $1`, [id]);
  return row && toSummary(row);
}

/** Reads the ids of all threads. */
export async function readThreadIds(database: Database): Promise<string[]> {
  const rows = await database.all("select id from glassloop_threads order by id");
  return rows.map((row) => textOf(row, "id"));
}

/** Where a thread stands in a list. It is written into cursors, so that a thread that moves takes no other one along. */
export interface Place {
  /** 1 if threads that may wait come first, and it is one of them; else 0. */
  readonly asked: number;
  readonly written: number;
  readonly id: string;
}

/** Which threads to read. */
export interface ThreadsWanted {
  readonly limit: number;
  /** Only threads after this one. */
  readonly after?: Place | undefined;
  /** `only`: those that may wait for a person, as far as their rows tell. `first`: these before all others. */
  readonly waiting?: "only" | "first" | undefined;
  /** Words that a question or an answer of the thread has, all of them. @throws InvalidOptionError if there is none */
  readonly text?: string | undefined;
  /** Further conditions, on the row `t`. Their parameters are the first ones. */
  readonly conditions?: readonly string[];
  readonly parameters?: readonly Cell[];
}

/** Reads threads, the one written last first, whatever the clocks say. */
export async function readThreads(
  database: Database,
  { limit, after, waiting, text, conditions = [], parameters = [] }: ThreadsWanted,
): Promise<(ThreadRow & { readonly place: Place })[]> {
  const cells = [...parameters];
  const where = [...conditions, ...(waiting === "only" ? [hasAsked] : [])];
  if (text !== undefined)
    where.push(`t.id in (select thread from glassloop_texts texts where ${hasWords(wordsOf(text), cells)})`);
  const asked = waiting === "first" ? `case when ${hasAsked} then 1 else 0 end` : "0";
  const from = after && cells.push(after.asked, after.written, after.id);
  const rows = await database.all(
    `select * from (select ${threadColumns}, ${asked} as asked, ${written("t.id")} as written from glassloop_threads t
        ${where.length > 0 ? `where ${where.join(" and ")}` : ""}) listed
      ${from ? `where (asked, written, id) < (cast($${from - 2} as integer), cast($${from - 1} as bigint), $${from})` : ""}
      order by asked desc, written desc, id desc limit $${cells.push(limit)}`,
    cells,
  );
  return rows.map((row) => {
    const place = { asked: numberOf(row, "asked"), written: numberOf(row, "written"), id: textOf(row, "id") };
    return { ...toSummary(row), place };
  });
}

/** Finds where a thread stands in the list of all; undefined if there is no such thread. */
export async function readPlace(database: Database, id: string): Promise<Place | undefined> {
  const query = `select ${written("t.id")} as written from glassloop_threads t where t.id = $1`;
  const [row] = await database.all(query, [id]);
  return row && { asked: 0, written: numberOf(row, "written"), id };
}

/** Holds for threads whose newest checkpoint has a question, which may be answered by now. Older questions stay until they are pruned. */
const hasAsked = `exists (select 1 from glassloop_writes asked where asked.thread = t.id and asked.namespace = ''
  and asked.position = ${WRITES_IDX_MAP[INTERRUPT]} and asked.checkpoint = (
    select id from glassloop_checkpoints where sequence = ${written("t.id")}))`;

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
