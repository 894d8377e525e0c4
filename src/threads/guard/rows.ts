import { type Cell, type Database, numberOf, type Row, type Statement, textOf } from "../databases/database.js";
import type { ProcessIdentity } from "./process.js";

/** Who runs a thread. */
export interface GuardRow extends ProcessIdentity {
  readonly thread: string;
  /** The run, told apart from every other one. */
  readonly owner: string;
  /** The opened database that the run uses: a process may open one several times. */
  readonly holder: string;
  /** When the owner last said that it runs: milliseconds since 1970. */
  readonly renewedAt: number;
  /** Whether another run asked this one to stop. */
  readonly interrupted: boolean;
}

/** Who would run a thread. */
export type GuardClaim = Omit<GuardRow, "interrupted">;

/** Takes a thread that nobody runs. Returns whether it was taken. */
export async function insertGuard(database: Database, claim: GuardClaim): Promise<boolean> {
  const rows = await database.all(`${insert} on conflict (thread) do nothing returning thread`, valuesOf(claim));
  return rows.length > 0;
}

const insert = `insert into glassloop_guards (thread, owner, holder, host, pid, started, renewed_at)
  values ($1, $2, $3, $4, $5, $6, $7)`;

/** Takes a thread, from whoever has it. */
export async function putGuard(database: Database, claim: GuardClaim): Promise<void> {
  await database.batch([
    { sql: "delete from glassloop_guards where thread = $1", parameters: [claim.thread] },
    { sql: insert, parameters: valuesOf(claim) },
  ]);
}

/** Takes a thread from an owner that is gone. Returns false when that one no longer has it. */
export async function replaceGuard(database: Database, gone: GuardRow, claim: GuardClaim): Promise<boolean> {
  const rows = await database.all(replace, [...valuesOf(claim), gone.owner]);
  return rows.length > 0;
}

const replace = `update glassloop_guards set owner = $2, holder = $3, host = $4, pid = $5, started = $6, renewed_at = $7,
  interrupted = 0 where thread = $1 and owner = $8 returning thread`;

export async function readGuard(database: Database, thread: string): Promise<GuardRow | undefined> {
  const [row] = await database.all("select * from glassloop_guards where thread = $1", [thread]);
  return row && toGuard(row);
}

/** Says that the runs of a holder still run. Returns them, with what was asked of them. */
export async function renewGuards(database: Database, holder: string, now: number): Promise<GuardRow[]> {
  const rows = await database.all("update glassloop_guards set renewed_at = $2 where holder = $1 returning *", [
    holder,
    now,
  ]);
  return rows.map(toGuard);
}

/** Asks a run to stop. */
export async function interruptGuard(database: Database, { thread, owner }: GuardRow): Promise<void> {
  await database.all(
    "update glassloop_guards set interrupted = 1 where thread = $1 and owner = $2 and interrupted = 0 returning thread",
    [thread, owner],
  );
}

export async function deleteGuard(
  database: Database,
  { thread, owner }: Pick<GuardRow, "thread" | "owner">,
): Promise<void> {
  await database.all("delete from glassloop_guards where thread = $1 and owner = $2 returning thread", [thread, owner]);
}

/** Fails the batch it is part of when the thread has another owner: an owner must not be null. */
export function fenceStatement(thread: string, owner: string): Statement {
  return {
    sql: `insert into glassloop_guards (thread, owner) select $1, null
      where not exists (select 1 from glassloop_guards where thread = $1 and owner = $2)`,
    parameters: [thread, owner],
  };
}

function valuesOf({ thread, owner, holder, host, pid, started, renewedAt }: GuardClaim): Cell[] {
  return [thread, owner, holder, host, pid, started, renewedAt];
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
    interrupted: numberOf(row, "interrupted") === 1,
  };
}
