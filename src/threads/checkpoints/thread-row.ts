import { randomInt } from "node:crypto";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { inOneLine, shorten } from "../../base/shorten.js";
import type { UsageCounts } from "../../core/state/usage.js";
import { NOW, type Statement } from "../databases/database.js";
import { threadTables } from "../databases/schema.js";

/**
 * The state of a thread.
 *
 * - `idle`: it is between turns.
 * - `running`: a run uses it.
 * - `waiting`: it waits for a person's answer to a question.
 * - `failed`: its last run threw an error.
 * - `interrupted`: its last run was stopped or killed.
 *
 * A thread in one of the last three states goes on when its agent is invoked with `null`.
 */
export type ThreadStatus = "idle" | "running" | "waiting" | "failed" | "interrupted";

/** A question of a thread that waits for a person. An answer names it: `new Command({ resume: { [id]: answer } })`. */
export interface WaitingInterrupt {
  /** The id of LangGraph's interrupt. */
  readonly id: string;
  /** What is asked. `approvalRequests` reads the calls that need a decision. */
  readonly value: unknown;
}

/** The facts about a thread that are known without opening it. Times are ISO 8601, UTC. */
export interface ThreadSummary {
  readonly id: string;
  readonly createdAt: string;
  /** The time at which the newest checkpoint was written. */
  readonly updatedAt: string;
  /** The first question, shortened; undefined if no question was asked. */
  readonly title?: string;
  /** The newest question, shortened, in the person's own words. */
  readonly lastQuestion?: string;
  /** The number of questions that were asked. */
  readonly turns: number;
  readonly status: ThreadStatus;
  /** The questions that wait for a person; undefined unless the status is `waiting`. */
  readonly interrupts?: readonly WaitingInterrupt[];
  /** The time from which the first of them waits, or that of the last checkpoint before it; undefined like `interrupts`. */
  readonly waitsSince?: string;
  /** The stop reason of the newest turn; undefined if that has not ended, and for other graphs. */
  readonly stopReason?: string;
  /** What all turns cost, without branches that were left; undefined for other graphs. `costOf` makes dollars of it. */
  readonly usage?: UsageCounts;
  /** The graph that the thread belongs to; undefined if no agent wrote to the thread. */
  readonly graph?: string;
  /** The version of that graph's state; undefined like `graph`. */
  readonly stateVersion?: number;
  /** Whom a server keeps the thread for; undefined for a thread that all who have the database may use. */
  readonly owner?: string;
}

/** The facts about a thread in its newest checkpoint, and whether a run uses it. */
export type ThreadHead = Pick<ThreadSummary, "status" | "interrupts" | "waitsSince" | "stopReason" | "usage">;

/** The facts about a thread in its row. */
export type ThreadRow = Omit<ThreadSummary, keyof ThreadHead>;

/** The columns of a thread's row. */
export const threadColumns = "id, created_at, updated_at, title, last_question, turns, graph, state_version, owner";
const writtenColumns = "id, created_at, updated_at, title, last_question, turns, graph, state_version";

const turnSchema = z.object({ number: z.number().int(), asked: z.string().min(1) });
const stampSchema = z.object({ graph: z.string().optional(), state_version: z.number().int().optional() }).catch({});
const LONGEST_QUESTION = 199;

/**
 * Returns the statement that writes a thread's row when a checkpoint is written: the time, the question from the agent's
 * `turn` channel, and the graph and its version from the metadata.
 */
export function threadStatement(
  thread: string,
  channelValues: Checkpoint["channel_values"],
  metadata: object = {},
): Statement {
  const { graph = null, state_version = null } = stampSchema.parse(metadata);
  return { sql: upsert, parameters: [thread, ...turnCells(channelValues.turn), graph, state_version] };
}

/**
 * Returns the statement for the row of a thread that is a copy. Its transaction fails if there is a thread with this id. The
 * number of prunings is new, so a process that has cached an earlier thread with this id drops its cache.
 */
export function newThreadStatement(row: ThreadRow): Statement {
  const { id, createdAt, updatedAt, title = null, lastQuestion = null, turns, graph = null, stateVersion = null } = row;
  const cells = [title, lastQuestion, turns, graph, stateVersion, row.owner ?? null];
  return {
    sql: `insert into glassloop_threads (${threadColumns}, pruned) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    parameters: [id, createdAt, updatedAt, ...cells, randomInt(1, 2 ** 30)],
  };
}

/** Reads title, last question and number of turns from the value of the `turn` channel. */
export function turnCells(turnChannel: unknown): [title: string | null, lastQuestion: string | null, turns: number] {
  const turn = turnSchema.safeParse(turnChannel).data;
  const question = turn ? shorten(inOneLine(beginningOf(turn.asked)), LONGEST_QUESTION) : null;
  return [turn?.number === 1 ? question : null, question, turn?.number ?? 0];
}

/** Returns more of a question than lists show: it still has to be written on one line. */
function beginningOf(asked: string): string {
  return asked.trimStart().slice(0, 10_000).replaceAll("\0", " ");
}

/**
 * A checkpoint of an agent in a tool: its questions are not those of the thread. In a graph of others they are. An agent there
 * begins each question with its first turn, so the title is that of the first question.
 */
const isInner = "excluded.graph is null and glassloop_threads.graph is not null";

const upsert = `insert into glassloop_threads (${writtenColumns}) values ($1, ${NOW}, ${NOW}, $2, $3, $4, $5, $6)
  on conflict (id) do update set updated_at = excluded.updated_at,
    title = case when excluded.graph is null then coalesce(glassloop_threads.title, excluded.title, excluded.last_question)
      else coalesce(excluded.title, glassloop_threads.title, excluded.last_question) end,
    last_question = case when ${isInner} then glassloop_threads.last_question
      else coalesce(excluded.last_question, glassloop_threads.last_question) end,
    turns = case when excluded.turns = 0 or ${isInner} then glassloop_threads.turns else excluded.turns end,
    graph = coalesce(excluded.graph, glassloop_threads.graph),
    state_version = coalesce(excluded.state_version, glassloop_threads.state_version)`;

/** The tables of what a thread holds. Rows of the guards belong to the lease on an id, which ends by itself. */
const contentTables = threadTables.filter((table) => table !== "glassloop_guards");

/** Returns the statements that delete a thread and everything that belongs to it. */
export function deleteStatements(thread: string): Statement[] {
  return [
    changeStatement(thread),
    ...contentTables.map((table) => ({ sql: `delete from ${table} where thread = $1`, parameters: [thread] })),
    { sql: "delete from glassloop_threads where id = $1", parameters: [thread] },
  ];
}

/** Returns the statement that notes a change of a thread that no other row tells. Nobody lists a thread of one run. */
export function changeStatement(thread: string): Statement {
  const sql = `insert into glassloop_changes (thread, owner) select id, owner from glassloop_threads where id = $1
    and not exists (select 1 from glassloop_runs where thread = $1 and is_temporary = 1)`;
  return { sql, parameters: [thread] };
}

/** Returns the statements that delete what a killed copy wrote for an id before there was a thread. */
export function leftoverStatements(thread: string): Statement[] {
  return ["glassloop_items", "glassloop_texts"].map((table) => ({
    sql: `delete from ${table} where thread = $1 and not exists (select 1 from glassloop_threads where id = $1)`,
    parameters: [thread],
  }));
}
