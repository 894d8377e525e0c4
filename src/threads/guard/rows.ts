import {
  type Cell,
  change,
  type Database,
  NOW_MS,
  numberOf,
  type Row,
  rowsOf,
  type Statement,
  textOf,
} from "../databases/database.js";
import type { ProcessIdentity } from "./process.js";

/** A guard row: the run that uses a thread. */
export interface GuardRow extends ProcessIdentity {
  readonly thread: string;
  /** The id of the run. */
  readonly owner: string;
  /** The id of the opened database that the run uses. A process may open a database several times. */
  readonly holder: string;
  /** The time of the owner's last sign of life, and the time since then: milliseconds by the clock of the database. */
  readonly renewedAt: number;
  readonly silentMs: number;
  /** True if another run asked this run to stop. */
  readonly interrupted: boolean;
}

/** A guard row that a run would like to write: its sign of life is now, unless it says another time. */
export type GuardClaim = Omit<GuardRow, "interrupted" | "silentMs" | "renewedAt"> & { readonly renewedAt?: number };

// Postgres keeps the plans of queries. "*" would be other columns after a migration by another process.
const columns = `thread, owner, holder, host, pid, started, renewed_at, interrupted, ${NOW_MS} - renewed_at as silent`;

const signOfLife = `coalesce(cast($7 as double precision), ${NOW_MS})`;

/** Takes a thread that no run uses. Returns true if it was taken. */
export async function insertGuard(database: Database, claim: GuardClaim): Promise<boolean> {
  const rows = await change(database, insert, valuesOf(claim));
  return rows.length > 0;
}

const insert = `insert into glassloop_guards (thread, owner, holder, host, pid, started, renewed_at)
  values ($1, $2, $3, $4, $5, $6, ${signOfLife}) on conflict (thread) do nothing returning thread`;

/** Takes a thread from an owner that is gone. Returns false if that owner no longer has it. */
export async function replaceGuard(database: Database, gone: GuardRow, claim: GuardClaim): Promise<boolean> {
  const sql = `${replace} ${database.hasManyWriters ? afterCommits : ""} returning thread`;
  const rows = await change(database, sql, [...valuesOf(claim), gone.owner]);
  return rows.length > 0;
}

const replace = `update glassloop_guards set owner = $2, holder = $3, host = $4, pid = $5, started = $6, renewed_at = ${signOfLife},
  interrupted = 0 where thread = $1 and owner = $8`;
/** The condition that waits for the end of all transactions that passed the fence. */
const afterCommits = "and exists (select 1 from glassloop_guards where thread = $1 for update)";

export async function readGuard(database: Database, thread: string): Promise<GuardRow | undefined> {
  return (await readGuards(database, [thread]))[0];
}

export async function readGuards(database: Database, threads: readonly string[]): Promise<GuardRow[]> {
  const wanted = "(select wanted.value ->> 0 from json_array_elements($1) wanted)";
  const query = `select ${columns} from glassloop_guards where thread in ${wanted}`;
  return (await database.all(query, [rowsOf(threads.map((thread) => [thread]))])).map(toGuard);
}

const renew = `update glassloop_guards set renewed_at = ${NOW_MS} where holder = $1`;

/** Gives a sign of life for the runs of a holder. Returns their rows, which tell whether they were asked to stop. */
export async function renewGuards(database: Database, holder: string): Promise<GuardRow[]> {
  const rows = await change(database, `${renew} returning ${columns}`, [holder], { always: true });
  return rows.map(toGuard);
}

/** Asks a run to stop. Returns true unless it was asked before, or has ended. */
export async function interruptGuard(database: Database, { thread, owner }: GuardRow): Promise<boolean> {
  const rows = await change(
    database,
    "update glassloop_guards set interrupted = 1 where thread = $1 and owner = $2 and interrupted = 0 returning thread",
    [thread, owner],
  );
  return rows.length > 0;
}

export async function deleteGuard(
  database: Database,
  { thread, owner }: Pick<GuardRow, "thread" | "owner">,
): Promise<void> {
  await change(database, remove, [thread, owner], { always: true });
}

const remove = "delete from glassloop_guards where thread = $1 and owner = $2 returning thread";

/**
 * Returns a statement that fails, with its transaction, if the thread has another owner: it inserts null as an owner, which
 * the column refuses.
 *
 * The statement also locks the row until the commit, so that nobody takes the thread before. Heartbeats need not wait for the
 * lock.
 */
export function fenceStatement(database: Database, thread: string, owner: string): Statement {
  return {
    sql: `insert into glassloop_guards (thread, owner) select $1, null
      where not exists (select 1 from glassloop_guards where thread = $1 and owner = $2 ${
        database.hasManyWriters ? "for key share" : ""
      })`,
    parameters: [thread, owner],
  };
}

/** Returns a statement that fails if a run holds the thread, and its transaction with it. */
export function nobodyStatement(thread: string): Statement {
  return {
    sql: `insert into glassloop_guards (thread, owner) select $1, null
      where exists (select 1 from glassloop_guards where thread = $1)`,
    parameters: [thread],
  };
}

function valuesOf({ thread, owner, holder, host, pid, started, renewedAt }: GuardClaim): Cell[] {
  return [thread, owner, holder, host, pid, started, renewedAt ?? null];
}

function toGuard(row: Row): GuardRow {
  return {
    thread: textOf(row, "thread"),
    owner: textOf(row, "owner"),
    holder: textOf(row, "holder"),
    host: textOf(row, "host"),
    pid: numberOf(row, "pid"),
    started: textOf(row, "started"),
    renewedAt: numberOf(row, "renewed_at"),
    silentMs: Math.abs(numberOf(row, "silent")),
    interrupted: numberOf(row, "interrupted") === 1,
  };
}
