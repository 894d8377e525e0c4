import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { inOneLine, shorten } from "../../base/shorten.js";
import type { Statement } from "../databases/database.js";
import { threadTables } from "../databases/schema.js";

/**
 * How a thread stands: `idle` between turns; `running`; `waiting` for a person, who was asked something; `failed`, its last
 * run threw an error; `interrupted`, its last run was stopped or killed. The last three go on when it is invoked with `null`.
 */
export type ThreadStatus = "idle" | "running" | "waiting" | "failed" | "interrupted";

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
  readonly status: ThreadStatus;
  /** The graph that it belongs to, and the version of its state; undefined until an agent of this version writes to it. */
  readonly graph?: string;
  readonly stateVersion?: number;
}

/** What is known of a thread from its row alone. */
export type ThreadRow = Omit<ThreadSummary, "status">;

/** The columns of a thread's row. */
export const threadColumns = "id, created_at, updated_at, title, last_question, turns, graph, state_version";

const turnSchema = z.object({ number: z.number().int(), asked: z.string().min(1) });
const stampSchema = z.object({ graph: z.string().optional(), state_version: z.number().int().optional() }).catch({});
const LONGEST_QUESTION = 199;

/**
 * Notes in the thread's row that it was written to; from the agent's `turn` channel, what it was asked; and from the
 * metadata whose state it holds.
 */
export function threadStatement(
  thread: string,
  channelValues: Checkpoint["channel_values"],
  metadata: object = {},
): Statement {
  const { graph = null, state_version = null } = stampSchema.parse(metadata);
  const now = timestamp();
  return { sql: upsert, parameters: [thread, now, now, ...turnCells(channelValues.turn), graph, state_version] };
}

/** The row of a thread that is copied or imported: it fails the batch it is part of when there is such a thread already. */
export function newThreadStatement(thread: string, row: Omit<ThreadRow, "id" | "createdAt" | "updatedAt">): Statement {
  const now = timestamp();
  const { title = null, lastQuestion = null, turns, graph = null, stateVersion = null } = row;
  return { sql: insert, parameters: [thread, now, now, title, lastQuestion, turns, graph, stateVersion] };
}

/** What the `turn` channel says: title, last question, and how many turns there were. */
export function turnCells(turnChannel: unknown): [title: string | null, lastQuestion: string | null, turns: number] {
  const turn = turnSchema.safeParse(turnChannel).data;
  const question = turn ? shorten(inOneLine(turn.asked.replaceAll("\0", " ")), LONGEST_QUESTION) : null;
  return [turn?.number === 1 ? question : null, question, turn?.number ?? 0];
}

const insert = `insert into glassloop_threads (${threadColumns}) values ($1, $2, $3, $4, $5, $6, $7, $8)`;
const upsert = `${insert} on conflict (id) do update set updated_at = excluded.updated_at,
    title = coalesce(excluded.title, glassloop_threads.title, excluded.last_question),
    last_question = coalesce(excluded.last_question, glassloop_threads.last_question),
    turns = case when excluded.turns = 0 then glassloop_threads.turns else excluded.turns end,
    graph = coalesce(excluded.graph, glassloop_threads.graph),
    state_version = coalesce(excluded.state_version, glassloop_threads.state_version)`;

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
