import { attempted } from "../../base/attempted.js";
import { addCounts, noCounts, type UsageCounts, usageSchema } from "../../core/state/usage.js";
import { versionReader } from "../checkpoints/checkpoint-body.js";
import { type Database, numberOf, optionalTextOf, type Row, textOf } from "../databases/database.js";
import { readNewestValues } from "./newest-values.js";

/** What is known of threads without opening them. Times are ISO 8601, UTC. */
export interface ThreadStats {
  /** The number of threads. */
  readonly threads: number;
  /** The number of questions that were asked. */
  readonly turns: number;
  /** The number of checkpoints that are kept. */
  readonly checkpoints: number;
  /** The bytes of the whole database; for one thread those of its values. */
  readonly bytes: number;
  /** The time at which the oldest thread was made; undefined if there is no thread. */
  readonly createdAt?: string;
  /** The time at which a thread was written last; undefined if there is no thread. */
  readonly updatedAt?: string;
  /** The cost of all turns of agents, by model. Branches that a thread left do not count. */
  readonly usage: UsageCounts;
}

/** Adds up what is known of all threads, or of one. */
export async function readStats(database: Database, thread?: string): Promise<ThreadStats> {
  const isOne = thread !== undefined;
  const [[row = {}] = [], newest = []] = await database.batch(
    [
      `select cast(count(*) as integer) as threads, cast(coalesce(sum(turns), 0) as integer) as turns,
        min(created_at) as created_at, max(updated_at) as updated_at, ${isOne ? threadSize : database.size} as bytes,
        (select cast(count(*) as integer) from glassloop_checkpoints ${isOne ? "where thread = $1" : ""}) as checkpoints
        from glassloop_threads ${isOne ? "where id = $1" : ""}`,
      `${newestQuery} ${isOne ? "where t.id = $1" : ""}`,
    ].map((sql) => ({ sql, parameters: isOne ? [thread] : [] })),
    { reading: true },
  );
  const [createdAt, updatedAt] = [optionalTextOf(row, "created_at"), optionalTextOf(row, "updated_at")];
  return {
    threads: numberOf(row, "threads"),
    turns: numberOf(row, "turns"),
    checkpoints: numberOf(row, "checkpoints"),
    bytes: numberOf(row, "bytes"),
    ...(createdAt !== undefined && { createdAt }),
    ...(updatedAt !== undefined && { updatedAt }),
    usage: await readUsage(database, newest),
  };
}

const newestQuery = `select t.id as thread, c.body, shape.content as shape from glassloop_threads t
  join glassloop_checkpoints c on c.sequence = (
    select max(sequence) from glassloop_checkpoints where thread = t.id and namespace = '')
  join glassloop_items shape on shape.thread = c.thread and shape.hash = c.shape`;

const threadSize = [
  bytesIn("glassloop_items", "content"),
  bytesIn("glassloop_texts", "folded"),
  bytesIn("glassloop_versions", "body"),
  bytesIn("glassloop_checkpoints", "body || metadata"),
  bytesIn("glassloop_writes", "body"),
].join(" + ");

function bytesIn(table: string, text: string): string {
  return `(select cast(coalesce(sum(octet_length(${text})), 0) as double precision) from ${table} where thread = $1)`;
}

/**
 * Adds up the usage in the newest checkpoints of threads. One query reads it for all of them. A value that is damaged, or
 * belongs to a graph that is not an agent's, does not count.
 */
async function readUsage(database: Database, newest: readonly Row[]): Promise<UsageCounts> {
  const versionOf = versionReader("usage");
  const versions = newest.flatMap((row) => {
    const usage = attempted(() => versionOf(textOf(row, "shape"), textOf(row, "body")));
    return usage === undefined ? [] : [[textOf(row, "thread"), { usage }] as const];
  });
  const newestOf = await readNewestValues(database, ["usage"], new Map(versions));
  return versions
    .map(([thread]) => usageSchema.safeParse(newestOf(thread, "usage")).data?.thread ?? noCounts)
    .reduce(addCounts, noCounts);
}
