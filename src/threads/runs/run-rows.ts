import { z } from "zod";
import {
  change,
  type Database,
  NOW,
  numberOf,
  optionalTextOf,
  type Row,
  rowsOf,
  type Statement,
  textOf,
} from "../databases/database.js";
import { type HeldRun, isHeld } from "../guard/held-run.js";

/** The way to treat a run whose thread has another run. */
type Strategy = "reject" | "enqueue" | "interrupt" | "rollback";

/** A run to store. */
export interface NewRun {
  readonly id: string;
  readonly thread: string;
  readonly graph: string;
  readonly owner: string | undefined;
  readonly strategy: Strategy;
  /** JSON of what the client keeps with the run, and of what it gave for it. */
  readonly metadata: string;
  readonly given: string;
  readonly isTemporary: boolean;
}

/** A row of a run. Times are ISO 8601, UTC. */
export interface RunRow extends NewRun {
  /** The place of the run in the order of all runs. On a thread they are executed in this order. */
  readonly number: number;
  readonly status: string;
  readonly attempt: number;
  /** The number of attempts, this one among them, since one stored a checkpoint. An attempt that a drain ended does not count. */
  readonly stalled: number;
  /** True if the run has stored something in its thread. */
  readonly hasBegun: boolean;
  readonly error: RunFailure | undefined;
  /** How the run has to be stopped; undefined if it may go on. */
  readonly cancelled: "interrupt" | "rollback" | undefined;
  /** True if its events are deleted. */
  readonly isSwept: boolean;
  /** The server that has the run; undefined unless it is running. */
  readonly holder: string | undefined;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const failureSchema = z.object({ name: z.string(), message: z.string() });
/** Why a run failed. */
export type RunFailure = z.infer<typeof failureSchema>;

const strategySchema = z.enum(["reject", "enqueue", "interrupt", "rollback"]);
const cancelledSchema = z.enum(["interrupt", "rollback"]).optional();

const columns = `number, id, thread, graph, owner, strategy, metadata, given, is_temporary, status, attempt, stalled, has_begun,
  error, cancelled, holder, swept, created_at, updated_at`;
/** A run that blocks those after it on its thread. */
const isActive = "status in ('pending', 'running')";
const qualified = columns.replaceAll(/\w+/g, "glassloop_runs.$&");

/** Where a run may begin. */
interface Admission {
  /** The server that runs it at once if it may. */
  readonly holder: string;
  /** True if that server has room for one more. */
  readonly hasRoom: boolean;
  /** The most runs of an owner that may wait, a tenth of them on one thread. */
  readonly mostQueued: number;
}

/**
 * Returns the statements that store a run, and decide what happens to the runs of its thread, in one transaction. Makes the
 * thread if there is none. Stores nothing if the thread is of another owner, has a run and the strategy is `reject`, or too
 * many runs of the owner wait. The transaction fails if there is a run with this id.
 */
export function enqueueStatements(run: NewRun, { holder, hasRoom, mostQueued }: Admission): Statement[] {
  const owner = run.owner ?? null;
  const { strategy, thread } = run;
  const cancels = strategy === "interrupt" || strategy === "rollback";
  return [
    // The update locks the thread: runs are added to it one after the other.
    { sql: touchThread, parameters: [thread, run.id, owner] },
    ...(strategy === "rollback" ? [{ sql: dropPending, parameters: [thread, owner] }] : []),
    ...(cancels ? [{ sql: cancelActive, parameters: [thread, owner, strategy] }] : []),
    {
      sql: insert,
      parameters: [
        ...[run.id, thread, run.graph, owner, strategy, run.metadata, run.given, run.isTemporary ? 1 : 0],
        ...[holder, hasRoom ? 1 : 0, mostQueued],
      ],
    },
    { sql: dropUnused, parameters: [thread, run.id] },
    { sql: dateThread, parameters: [thread, run.id] },
  ];
}

/** A thread that is made for a run has the run's id in the place of its time until it is known whether the run is taken. */
const touchThread = `insert into glassloop_threads (id, created_at, updated_at, turns, owner) values ($1, $2, ${NOW}, 0, $3)
  on conflict (id) do update set updated_at = case
    when coalesce(glassloop_threads.owner, '') = coalesce(excluded.owner, '') then excluded.updated_at
    else glassloop_threads.updated_at end`;
const dropUnused = `delete from glassloop_threads where id = $1 and created_at = $2
  and not exists (select 1 from glassloop_runs where thread = $1)`;
const dateThread = "update glassloop_threads set created_at = updated_at where id = $1 and created_at = $2";
const isOwned = `exists (select 1 from glassloop_threads where id = $1 and coalesce(owner, '') = coalesce($2, ''))`;
const dropPending = `delete from glassloop_runs where thread = $1 and status = 'pending' and has_begun = 0 and ${isOwned}`;
const cancelActive = `update glassloop_runs set cancelled = $3, updated_at = ${NOW},
  status = case when status = 'pending' and has_begun = 0 then 'interrupted' else status end
  where thread = $1 and ${isActive} and ${isOwned}`;
const isBusy = `exists (select 1 from glassloop_runs where thread = $2 and ${isActive})`;
const begins = `cast($10 as integer) = 1 and not ${isBusy}`;
const insert = `insert into glassloop_runs (id, thread, graph, owner, strategy, metadata, given, is_temporary, created_at,
    updated_at, status, holder, attempt, stalled)
  select $1, $2, $3, $4, $5, $6, $7, cast($8 as integer), ${NOW}, ${NOW}, case when ${begins} then 'running' else 'pending' end,
    case when ${begins} then $9 end, case when ${begins} then 1 else 0 end, case when ${begins} then 1 else 0 end
  from glassloop_threads where id = $2 and coalesce(owner, '') = coalesce($4, '') and ($5 <> 'reject' or not ${isBusy})
    and (select count(*) from (select 1 from glassloop_runs where status = 'pending'
      and coalesce(owner, '') = coalesce($4, '') limit cast($11 as integer)) waiting) < cast($11 as integer)
    and (select count(*) from glassloop_runs where thread = $2 and status = 'pending') < (cast($11 as integer) + 9) / 10`;

/** Why a run was not stored. */
export type Refusal = "other-owner" | "in-use" | "too-many";

/** Tells why a run was not stored. */
export async function refusalOf(database: Database, run: NewRun): Promise<Refusal> {
  const [thread] = await database.all("select owner from glassloop_threads where id = $1", [run.thread]);
  if (thread !== undefined && optionalTextOf(thread, "owner") !== run.owner) return "other-owner";
  const active = `select 1 from glassloop_runs where thread = $1 and ${isActive} limit 1`;
  const isInUse = run.strategy === "reject" && (await database.all(active, [run.thread])).length > 0;
  return isInUse ? "in-use" : "too-many";
}

/**
 * Takes the next runs whose turn on their threads has come. Looks at the oldest ones first; if all of them wait for others, at
 * one run of each thread, however many wait there.
 *
 * @param graphs The graphs that the server has.
 * @param most The most runs to take.
 */
export async function claimRuns(
  database: Database,
  holder: string,
  graphs: readonly string[],
  most: number,
): Promise<RunRow[]> {
  const skip = database.hasManyWriters ? "for update of r skip locked" : "";
  for (const candidates of [oldest, firstOfThreads]) {
    const rows = await change(
      database,
      `update glassloop_runs set status = 'running', holder = $1, attempt = attempt + 1, stalled = stalled + 1, updated_at = ${NOW}
        where number in (select r.number from (${candidates}) candidate join glassloop_runs r on r.number = candidate.number
          where r.status = 'pending' and r.graph in (select wanted.value ->> 0 from json_array_elements($2) wanted)
          and not exists (select 1 from glassloop_runs ahead where ahead.thread = r.thread and ahead.number < r.number
            and ahead.${isActive})
          order by r.number limit cast($3 as integer) ${skip})
        returning ${qualified}`,
      [holder, rowsOf(graphs.map((graph) => [graph])), most],
    );
    if (rows.length > 0) return rows.map(toRun);
  }
  return [];
}

const oldest = "select number from glassloop_runs where status = 'pending' order by number limit 100";
const firstOfThreads = `select min(number) as number from glassloop_runs where ${isActive} group by thread`;

export async function readRun(database: Database, id: string): Promise<RunRow | undefined> {
  const [row] = await database.all(`select ${columns} from glassloop_runs where id = $1`, [id]);
  return row && toRun(row);
}

/** Reads the runs of a thread, the newest first. */
export async function readRuns(
  database: Database,
  thread: string,
  { limit, offset, status }: { readonly limit: number; readonly offset: number; readonly status?: string | undefined },
): Promise<RunRow[]> {
  const rows = await database.all(
    `select ${columns} from glassloop_runs where thread = $1 and (status = $4 or $4 is null) order by number desc
      limit $2 offset $3`,
    [thread, limit, offset, status ?? null],
  );
  return rows.map(toRun);
}

/**
 * Reads the runs of a thread after a number, the oldest first. Without a number, those that have not ended and what follows
 * them; if all have, the newest one.
 */
export async function readRunsAfter(database: Database, thread: string, number?: number): Promise<RunRow[]> {
  const first = `coalesce((select min(number) from glassloop_runs where thread = $1 and ${isActive}),
    (select max(number) from glassloop_runs where thread = $1))`;
  const rows = await database.all(
    `select ${columns} from glassloop_runs where thread = $1 and number > coalesce(cast($2 as bigint), ${first} - 1)
      order by number limit 100`,
    [thread, number ?? null],
  );
  return rows.map(toRun);
}

/** Reads the number of the newest run of each of some threads. */
export async function readNewest(database: Database, threads: readonly string[]): Promise<Map<string, number>> {
  const rows = await database.all(
    `select r.thread, max(r.number) as number from json_array_elements($1) wanted
      join glassloop_runs r on r.thread = wanted.value ->> 0 group by r.thread`,
    [rowsOf(threads.map((thread) => [thread]))],
  );
  return new Map(rows.map((row) => [textOf(row, "thread"), numberOf(row, "number")]));
}

/** Reads the runs that a server has, and how they have to be stopped. */
export async function readHeld(database: Database, holder: string): Promise<(HeldRun & Pick<RunRow, "cancelled">)[]> {
  const query = "select id, thread, attempt, cancelled from glassloop_runs where status = 'running' and holder = $1";
  return (await database.all(query, [holder])).map((row) => ({
    ...{ id: textOf(row, "id"), thread: textOf(row, "thread"), attempt: numberOf(row, "attempt"), holder },
    cancelled: cancelledSchema.parse(optionalTextOf(row, "cancelled")),
  }));
}

/** Asks for a run to be stopped. A run that never began ends at once. */
export async function cancelRun(database: Database, id: string, action: "interrupt" | "rollback"): Promise<void> {
  await change(
    database,
    `update glassloop_runs set cancelled = $2, updated_at = ${NOW},
      status = case when status = 'pending' and has_begun = 0 then 'interrupted' else status end
      where id = $1 and ${isActive} returning id`,
    [id, action],
  );
}

/** Returns the statements that end a run. They fail, with their transaction, if the run has to be rolled back by now. */
export function endStatements(run: HeldRun, status: string, error: RunFailure | undefined): Statement[] {
  return [
    {
      sql: `update glassloop_runs set status = $4, error = $5, updated_at = ${NOW}, holder = null
        where ${isHeld} and coalesce(cancelled, '') <> 'rollback'`,
      parameters: [...keyOf(run), status, error ? JSON.stringify(error) : null],
    },
    {
      sql: `insert into glassloop_runs (id) select null where exists (select 1 from glassloop_runs where ${isHeld})`,
      parameters: keyOf(run),
    },
  ];
}

/** Returns the statements that delete a run and its events. */
export function dropStatements({ id, holder, attempt, thread }: HeldRun): Statement[] {
  return [
    { sql: "delete from glassloop_run_events where thread = $1 and run = $2", parameters: [thread, id] },
    { sql: `delete from glassloop_runs where ${isHeld}`, parameters: [id, holder, attempt] },
  ];
}

/** Gives a run back, to be taken up again. @param counts False if the attempt does not count as stalled. */
export async function releaseRun(database: Database, run: HeldRun, counts: boolean): Promise<void> {
  await change(
    database,
    `update glassloop_runs set status = 'pending', holder = null, stalled = case when stalled > 0 then stalled - cast($4 as integer) else 0 end,
      updated_at = ${NOW}
      where ${isHeld} returning id`,
    [...keyOf(run), counts ? 0 : 1],
    // A newer version cannot be written to, but its servers can go on with the run.
    { always: true },
  );
}

/** Reads the other servers that have runs. */
export async function readHolders(database: Database, own: string): Promise<string[]> {
  const query = "select distinct holder from glassloop_runs where status = 'running' and holder <> $1";
  return (await database.all(query, [own])).map((row) => textOf(row, "holder"));
}

/** Gives back all runs of a server that is gone, with their threads: from then on it can no longer write to them. */
export async function releaseRunsOf(database: Database, holder: string): Promise<void> {
  await database.batch([
    { sql: releaseThreads, parameters: [holder] },
    {
      sql: `update glassloop_runs set status = 'pending', holder = null, updated_at = ${NOW} where status = 'running' and holder = $1`,
      parameters: [holder],
    },
  ]);
}

const releaseThreads = `delete from glassloop_guards where
  thread in (select thread from glassloop_runs where status = 'running' and holder = $1)
  and holder = (select holder from glassloop_guards where thread = $1)`;

/** Deletes a run that is not active, with its events. */
export function deleteRunStatements({ id, thread }: Pick<RunRow, "id" | "thread">): Statement[] {
  return [
    { sql: "delete from glassloop_run_events where thread = $1 and run = $2", parameters: [thread, id] },
    { sql: `delete from glassloop_runs where id = $1 and not (${isActive})`, parameters: [id] },
  ];
}

function keyOf({ id, holder, attempt }: HeldRun) {
  return [id, holder, attempt] as const;
}

function toRun(row: Row): RunRow {
  const error = optionalTextOf(row, "error");
  return {
    number: numberOf(row, "number"),
    id: textOf(row, "id"),
    thread: textOf(row, "thread"),
    graph: textOf(row, "graph"),
    owner: optionalTextOf(row, "owner"),
    strategy: strategySchema.parse(row.strategy),
    metadata: textOf(row, "metadata"),
    given: textOf(row, "given"),
    isTemporary: numberOf(row, "is_temporary") === 1,
    status: textOf(row, "status"),
    attempt: numberOf(row, "attempt"),
    stalled: numberOf(row, "stalled"),
    hasBegun: numberOf(row, "has_begun") === 1,
    error: error === undefined ? undefined : failureSchema.parse(JSON.parse(error)),
    cancelled: cancelledSchema.parse(optionalTextOf(row, "cancelled")),
    isSwept: numberOf(row, "swept") === 1,
    holder: optionalTextOf(row, "holder"),
    createdAt: textOf(row, "created_at"),
    updatedAt: textOf(row, "updated_at"),
  };
}
