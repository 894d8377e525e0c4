import type { CheckpointPendingWrite } from "@langchain/langgraph-checkpoint";
import { undefinedOn } from "../../base/attempted.js";
import { unusedAnswers } from "../../core/run/notes.js";
import { askedIn, failureIn } from "../../langgraph/pending-writes.js";
import { type CheckpointVersions, joinCheckpoint } from "../checkpoints/checkpoint-body.js";
import { explainDamage } from "../checkpoints/explain-damage.js";
import { readPendingNodes } from "../checkpoints/pending-nodes.js";
import { readPendingWrites } from "../checkpoints/pending-writes.js";
import type { ThreadSummary } from "../checkpoints/thread-row.js";
import { type Database, numberOf, optionalTextOf, type Row, rowsOf, textOf } from "../databases/database.js";
import { ThreadCache } from "../values/cache.js";

/** What is known of a thread from its newest checkpoint and its guard. */
type Status = Pick<ThreadSummary, "status" | "interrupts">;

/**
 * Finds the statuses of threads from their newest checkpoints and their guards. Two queries are enough for all threads
 * that are idle.
 *
 * @param isRunning Tells whether a run uses a thread. Called only for threads with a guard row.
 * @returns The function that tells the status of each of them.
 */
export async function readStatuses(
  database: Database,
  threads: readonly string[],
  isRunning: (thread: string) => Promise<boolean>,
): Promise<(thread: string) => Status> {
  const rows = await database.all(newestQuery, [rowsOf(threads.map((thread) => [thread]))]);
  const versions = rows.map((row) => explainDamage(database, textOf(row, "thread"), async () => toVersions(row)));
  const pending = await readPendingNodes(database, new Map((await Promise.all(versions)).flat()));
  const statuses = rows.map(async (row): Promise<readonly [string, Status]> => {
    const thread = textOf(row, "thread");
    if (numberOf(row, "guards") > 0 && (await isRunning(thread))) return [thread, { status: "running" }];
    if (!pending.get(thread)?.length) return [thread, { status: "idle" }];
    return [thread, await readUnfinished(database, thread, textOf(row, "id"))];
  });
  const byThread = new Map(await Promise.all(statuses));
  return (thread) => byThread.get(thread) ?? { status: "idle" };
}

const newestQuery = `select wanted.value ->> 0 as thread, c.id, c.body, shape.content as shape,
    cast((select count(*) from glassloop_guards where thread = wanted.value ->> 0) as integer) as guards
  from json_array_elements($1) wanted left join glassloop_checkpoints c on c.sequence = (
    select max(sequence) from glassloop_checkpoints where thread = wanted.value ->> 0 and namespace = '')
  left join glassloop_items shape on shape.thread = c.thread and shape.hash = c.shape`;

/** Reads the versions in the newest checkpoint of a thread. Returns nothing if it has none. */
function toVersions(row: Row): [] | [readonly [string, CheckpointVersions]] {
  const shape = optionalTextOf(row, "shape");
  return shape === undefined ? [] : [[textOf(row, "thread"), joinCheckpoint(shape, textOf(row, "body"))]];
}

/** Reads the status of a thread whose turn has not ended, from the pending writes of its newest checkpoint. */
async function readUnfinished(database: Database, thread: string, checkpoint: string): Promise<Status> {
  const place = { thread, namespace: "", cache: new ThreadCache() };
  const read = explainDamage(database, thread, () => readPendingWrites(database, place, checkpoint));
  const writes = await read.catch(undefinedOn("damaged-thread"));
  return writes === undefined ? { status: "failed" } : statusOf(writes);
}

function statusOf(writes: readonly CheckpointPendingWrite[]): Status {
  const answers = unusedAnswers(writes);
  const interrupts = askedIn(writes).filter(({ id }) => !answers.has(id));
  if (interrupts.length > 0) return { status: "waiting", interrupts };
  return { status: failureIn(writes) !== undefined ? "failed" : "interrupted" };
}
