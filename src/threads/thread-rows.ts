import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { type Database, numberOf, optionalTextOf, type Row, type Statement, textOf } from "./database.js";
import { threadTables } from "./schema.js";

/** What is known of a thread without opening it. Times are ISO 8601, UTC. */
export interface ThreadSummary {
  readonly id: string;
  readonly createdAt: string;
  /** When its newest checkpoint was written. */
  readonly updatedAt: string;
  /** The first question, shortened; undefined for a thread that was not asked one. */
  readonly title?: string;
  /** The newest question, shortened, in the words it was asked in. */
  readonly lastQuestion?: string;
  /** How many questions were asked. */
  readonly turns: number;
}

const columns = "id, created_at, updated_at, title, last_question, turns";

export async function readThread(database: Database, id: string): Promise<ThreadSummary | undefined> {
  const [row] = await database.all(`select ${columns} from glassloop_threads where id = $1`, [id]);
  return row && toSummary(row);
}

/** Reads threads, the one written last first; `before` is the last one of the page before. */
export async function readThreads(
  database: Database,
  limit: number,
  before: ThreadSummary | undefined,
): Promise<ThreadSummary[]> {
  const where = before === undefined ? "" : "where (updated_at, id) < ($2, $3)";
  const rows = await database.all(
    `select ${columns} from glassloop_threads ${where} order by updated_at desc, id desc limit $1`,
    before === undefined ? [limit] : [limit, before.updatedAt, before.id],
  );
  return rows.map(toSummary);
}

function toSummary(row: Row): ThreadSummary {
  const title = optionalTextOf(row, "title");
  const lastQuestion = optionalTextOf(row, "last_question");
  return {
    id: textOf(row, "id"),
    createdAt: textOf(row, "created_at"),
    updatedAt: textOf(row, "updated_at"),
    ...(title !== undefined && { title }),
    ...(lastQuestion !== undefined && { lastQuestion }),
    turns: numberOf(row, "turns"),
  };
}

const turnSchema = z.object({ number: z.number().int(), asked: z.string().min(1) });
const LONGEST_QUESTION = 200;

/** Notes in the thread's row that it was written to, and, from the agent's `turn` channel, what it was asked. */
export function threadStatement(thread: string, channelValues: Checkpoint["channel_values"]): Statement {
  const turn = turnSchema.safeParse(channelValues.turn).data;
  const now = timestamp();
  return {
    sql: upsert,
    parameters: [
      thread,
      now,
      now,
      turn ? shorten(turn.asked) : null,
      turn ? shorten(turn.asked) : null,
      turn?.number ?? 0,
    ],
  };
}

const upsert = `insert into glassloop_threads (${columns}) values ($1, $2, $3, $4, $5, $6)
  on conflict (id) do update set updated_at = excluded.updated_at,
    title = coalesce(glassloop_threads.title, excluded.title),
    last_question = coalesce(excluded.last_question, glassloop_threads.last_question),
    turns = case when excluded.turns = 0 then glassloop_threads.turns else excluded.turns end`;

function shorten(question: string): string {
  const line = question.replaceAll(/[\s\0]+/g, " ").trim();
  return line.length > LONGEST_QUESTION ? `${line.slice(0, LONGEST_QUESTION - 1)}…` : line;
}

let newest = 0;

/** The time, in steps of at least a millisecond, so that threads written one after the other keep their order. */
function timestamp(): string {
  newest = Math.max(Date.now(), newest + 1);
  return new Date(newest).toISOString();
}

/** Deletes a thread and everything that belongs to it. */
export function deleteStatements(thread: string): Statement[] {
  return [
    ...threadTables.map((table) => ({ sql: `delete from ${table} where thread = $1`, parameters: [thread] })),
    { sql: "delete from glassloop_threads where id = $1", parameters: [thread] },
  ];
}
