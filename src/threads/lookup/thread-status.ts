import { ERROR, INTERRUPT, WRITES_IDX_MAP } from "@langchain/langgraph-checkpoint";
import { joinCheckpoint } from "../checkpoints/checkpoint-body.js";
import { pendingNodes, readTriggers } from "../checkpoints/pending-nodes.js";
import type { ThreadStatus } from "../checkpoints/thread-row.js";
import { type Database, numberOf, textOf } from "../databases/database.js";

/**
 * Finds the status of a thread from its newest checkpoint and its guard.
 *
 * @param isRunning Tells whether a run uses the thread.
 */
export async function readStatus(
  database: Database,
  thread: string,
  isRunning: (thread: string) => Promise<boolean>,
): Promise<ThreadStatus> {
  const [row] = await database.all(newest, [thread]);
  const isFree = row !== undefined && numberOf(row, "guards") === 0;
  if (!isFree && (await isRunning(thread))) return "running";
  if (row === undefined) return "idle";
  const versions = joinCheckpoint(textOf(row, "shape"), textOf(row, "body"));
  const isSet = await readTriggers(database, thread, versions.channel_versions);
  if (pendingNodes(versions, isSet).length === 0) return "idle";
  const tasks = await readTasks(database, thread, textOf(row, "id"));
  if (tasks.some((positions) => positions.has(INTERRUPTED) && !positions.has(DONE))) return "waiting";
  return tasks.some((positions) => positions.has(FAILED)) ? "failed" : "interrupted";
}

const newest = `select c.id, c.body, shape.content as shape,
    cast((select count(*) from glassloop_guards where thread = $1) as integer) as guards from glassloop_checkpoints c
  join glassloop_items shape on shape.thread = c.thread and shape.hash = c.shape
  where c.thread = $1 and c.namespace = '' order by c.sequence desc limit 1`;

/** The positions of the pending writes of these kinds. */
const DONE = 0;
const FAILED = WRITES_IDX_MAP[ERROR];
const INTERRUPTED = WRITES_IDX_MAP[INTERRUPT];

/** Reads the pending writes of a checkpoint: for each task, their positions. */
async function readTasks(database: Database, thread: string, checkpoint: string): Promise<Set<number | undefined>[]> {
  const rows = await database.all(
    "select task, position from glassloop_writes where thread = $1 and namespace = '' and checkpoint = $2",
    [thread, checkpoint],
  );
  const tasks = new Map<string, Set<number | undefined>>();
  for (const row of rows) {
    const task = textOf(row, "task");
    tasks.set(task, (tasks.get(task) ?? new Set()).add(numberOf(row, "position")));
  }
  return [...tasks.values()];
}
