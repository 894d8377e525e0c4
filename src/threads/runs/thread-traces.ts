import { type Database, numberOf, optionalTextOf, type Statement, statementOf, textOf } from "../databases/database.js";
import type { ThreadGuard } from "../guard/guard.js";

/** A row that tells of a thread: a checkpoint, a run, who uses the thread, or a change that none of these tells. */
interface Trace {
  readonly kind: string;
  readonly number: number;
  readonly thread: string;
  /** Whom the thread belonged to; only for the last kind. */
  readonly owner: string | undefined;
  /** True for what will end: then the row goes, or it is another one. */
  readonly isLive: boolean;
}

/** The traces at one moment, by a key that never comes again. */
export type Traces = ReadonlyMap<string, Trace>;

/** Postgres commits rows not in the order of their numbers: so many before the last one are read again. */
const OVERLAP = 1_000;

/** Reads the traces of all threads, as far as they are newer than those that are known, or live. Compares no times. */
export async function readTraces(database: Database, guard: ThreadGuard, known: Traces = new Map()): Promise<Traces> {
  const last = (wanted: string) =>
    [...known.values()].reduce<number | null>(
      (most, { kind, number }) => (kind === wanted ? Math.max(most ?? 0, number) : most),
      null,
    );
  const after = [last("checkpoint"), last("run"), last("change"), database.hasManyWriters ? OVERLAP : 0];
  const rows = await database.all(tracesQuery, after);
  const guarded = rows.filter((row) => row.kind === "guard").map((row) => textOf(row, "thread"));
  // A killed process leaves its row.
  const running = guarded.length > 0 ? await guard.running(guarded) : new Set<string>();
  return new Map(
    rows.map((row): [string, Trace] => {
      const [kind, thread, state] = [textOf(row, "kind"), textOf(row, "thread"), textOf(row, "state")];
      const number = numberOf(row, "number");
      const isLive = kind === "guard" || state === "pending" || state === "running";
      const key = [kind, number, state, kind === "guard" && running.has(thread)].join(" ");
      return [key, { kind, number, thread, owner: optionalTextOf(row, "owner"), isLive }];
    }),
  );
}

/** Returns the traces that came since a moment, and the live ones that went. */
export function tracesSince(before: Traces, now: Traces): Trace[] {
  const came = [...now].filter(([key]) => !before.has(key));
  const went = [...before].filter(([key, { isLive }]) => isLive && !now.has(key));
  return [...came, ...went].map(([, trace]) => trace);
}

const newer = (table: string, number: string, parameter: number) => `${table} where ${number} >=
  coalesce(cast($${parameter} as bigint), (select max(${number}) from ${table})) - cast($4 as bigint)`;
const run = "select 'run', number, thread, null, status from";
const tracesQuery = `select 'checkpoint' as kind, sequence as number, thread, null as owner, '' as state
    from ${newer("glassloop_checkpoints", "sequence", 1)}
  union all ${run} ${newer("glassloop_runs", "number", 2)}
  union all ${run} glassloop_runs where status in ('pending', 'running')
  union all select 'change', number, thread, owner, '' from ${newer("glassloop_changes", "number", 3)}
  union all select 'guard', 0, g.thread, null, g.owner from glassloop_guards g join glassloop_threads t on t.id = g.thread`;

/** Deletes the notes of changes that every server has seen by now. */
export const forgetChanges: Statement = statementOf(
  `delete from glassloop_changes where number < (select max(number) from glassloop_changes) - ${OVERLAP}`,
);
