import { z } from "zod";
import { explainDamage } from "../checkpoints/explain-damage.js";
import { madeSchema } from "../checkpoints/run-identity.js";
import { change, type Database, numberOf, type Row, type Statement, textOf } from "../databases/database.js";

/**
 * Values of a state that are not stored with their event, but in a checkpoint: the names of the channels. `path` has
 * the keys down to them in the event's data.
 */
const valuesSchema = z.object({
  namespace: z.string(),
  id: z.string(),
  channels: z.array(z.string()),
  path: z.array(z.string()),
  made: madeSchema.optional(),
});
export type ValuesElsewhere = z.infer<typeof valuesSchema>;

/** An event as it is stored: its number in the run, its name, and its data. */
export interface StoredEvent {
  readonly seq: number;
  readonly event: string;
  readonly data: unknown;
  readonly values: ValuesElsewhere | undefined;
  /** When it was recorded, in milliseconds since 1970. */
  readonly at: number;
}

/** Data whose last part is that of an earlier event. Each word of a model comes with the same half a kilobyte about its run. */
const likeSchema = z.object({ like: z.number() });
const elsewhereSchema = z.union([valuesSchema, likeSchema]).optional();
const bodySchema = z.array(z.tuple([z.string(), z.unknown(), z.number(), elsewhereSchema]));
type Body = z.infer<typeof bodySchema>;
const pairSchema = z.tuple([z.unknown(), z.unknown()]);

/** The run of events. */
interface RunOfEvents {
  readonly id: string;
  readonly thread: string;
}

/** Writes an event in the form in which it is stored. @param json Its data, without the values that are elsewhere. */
export function eventJson(
  event: string,
  json: string,
  at: number,
  elsewhere?: z.infer<typeof elsewhereSchema>,
): string {
  return `[${JSON.stringify(event)},${json},${at}${elsewhere === undefined ? "" : `,${JSON.stringify(elsewhere)}`}]`;
}

/** Returns the statement that stores events whose numbers follow one another. */
export function eventStatement(run: RunOfEvents, first: number, events: readonly string[]): Statement {
  const body = `[${events.join(",")}]`;
  return {
    sql: "insert into glassloop_run_events (thread, run, seq, body) values ($1, $2, $3, $4)",
    parameters: [run.thread, run.id, first, body],
  };
}

/** The most rows of events that are read at once. Each has at least one event. */
export const PAGE = 20;

/**
 * Reads events of a run after a number: as many as a few rows have.
 *
 * @throws NewerDatabaseError if they are in the form of a newer version; ThreadError "damaged-thread"
 */
export function readEvents(database: Database, run: RunOfEvents, after: number): Promise<StoredEvent[]> {
  return explainDamage(database, run.thread, () => readRows(database, run, after));
}

async function readRows(database: Database, run: RunOfEvents, after: number): Promise<StoredEvent[]> {
  // The row that begins at or before the first wanted event may have it, too.
  const rows = await database.all(
    `select seq, body from glassloop_run_events where thread = $1 and run = $2 and seq >= coalesce((select max(seq)
      from glassloop_run_events where thread = $1 and run = $2 and seq <= cast($3 as integer)), 0) order by seq limit ${PAGE}`,
    [run.thread, run.id, after + 1],
  );
  const found = new Map(rows.flatMap(eventsIn));
  const wanted = [...found].filter(([seq]) => seq > after);
  const likes = new Set(
    wanted.flatMap(([, [, , , elsewhere]]) => (elsewhere && "like" in elsewhere ? elsewhere.like : [])),
  );
  for (const seq of likes) {
    if (found.has(seq)) continue;
    const row = await database.all(rowOfEvent, [run.thread, run.id, seq]);
    for (const [at, event] of row.flatMap(eventsIn)) found.set(at, event);
  }
  return wanted.map(([seq, [event, data, at, elsewhere]]) => {
    if (elsewhere === undefined || !("like" in elsewhere)) return { seq, event, data, at, values: elsewhere };
    const [, last] = pairSchema.parse(found.get(elsewhere.like)?.[1]);
    return { seq, event, data: [data, last], at, values: undefined };
  });
}

const rowOfEvent = `select seq, body from glassloop_run_events where thread = $1 and run = $2 and seq <= cast($3 as integer)
  order by seq desc limit 1`;

/** The events of a row, each with its number. */
function eventsIn(row: Row): [seq: number, event: Body[number]][] {
  const first = numberOf(row, "seq");
  return bodySchema.parse(JSON.parse(textOf(row, "body"))).map((event, index) => [first + index, event]);
}

/** Reads the number of the last event of a run; 0 if it has none. */
export async function readLastSeq(database: Database, run: RunOfEvents): Promise<number> {
  const query = "select seq, body from glassloop_run_events where thread = $1 and run = $2 order by seq desc limit 1";
  const [row] = await database.all(query, [run.thread, run.id]);
  return row === undefined ? 0 : numberOf(row, "seq") + bodySchema.parse(JSON.parse(textOf(row, "body"))).length - 1;
}

/** Returns the statements that delete the events of runs that ended before a time. */
export function sweepStatements(before: string): Statement[] {
  return [
    {
      sql: `delete from glassloop_run_events where (thread, run) in (select thread, id from glassloop_runs where ${isDue})`,
      parameters: [before],
    },
    { sql: `update glassloop_runs set swept = 1 where ${isDue}`, parameters: [before] },
  ];
}

const isDue = "swept = 0 and updated_at < $1 and status not in ('pending', 'running')";

/** Deletes the rows of runs that ended before a time, and whose events are deleted. */
export async function forgetRuns(database: Database, before: string): Promise<void> {
  await change(
    database,
    `delete from glassloop_runs where swept = 1 and is_temporary = 0 and updated_at < $1
      and status not in ('pending', 'running') returning id`,
    [before],
  );
}

/** Reads the threads that were made for one run, and whose run ended before a time. */
export async function readTemporary(database: Database, before: string): Promise<string[]> {
  const query = `select thread from glassloop_runs where is_temporary = 1 and updated_at < $1
    and status not in ('pending', 'running') order by updated_at limit 100`;
  return (await database.all(query, [before])).map((row) => textOf(row, "thread"));
}
