import { type CheckpointPendingWrite, ERROR, INTERRUPT, RESUME } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { DamagedThreadError } from "../../base/errors.js";
import { joinCheckpoint } from "../checkpoints/checkpoint-body.js";
import { explainDamage } from "../checkpoints/damaged-checkpoints.js";
import { pendingNodes, readTriggers } from "../checkpoints/pending-nodes.js";
import { readPendingWrites } from "../checkpoints/pending-writes.js";
import type { ThreadSummary, WaitingInterrupt } from "../checkpoints/thread-row.js";
import { unusedAnswers } from "../checkpoints/unused-answers.js";
import { type Database, numberOf, textOf } from "../databases/database.js";
import { ThreadCache } from "../values/cache.js";

/**
 * Finds the status of a thread from its newest checkpoint and its guard.
 *
 * @param isRunning Tells whether a run uses the thread.
 */
export async function readStatus(
  database: Database,
  thread: string,
  isRunning: (thread: string) => Promise<boolean>,
): Promise<Pick<ThreadSummary, "status" | "interrupts">> {
  const [row] = await database.all(newest, [thread]);
  const isFree = row !== undefined && numberOf(row, "guards") === 0;
  if (!isFree && (await isRunning(thread))) return { status: "running" };
  if (row === undefined) return { status: "idle" };
  const versions = joinCheckpoint(textOf(row, "shape"), textOf(row, "body"));
  const isSet = await readTriggers(database, thread, versions.channel_versions);
  if (pendingNodes(versions, isSet).length === 0) return { status: "idle" };
  const place = { thread, namespace: "", cache: new ThreadCache() };
  const read = explainDamage(thread, () => readPendingWrites(database, place, textOf(row, "id")));
  const writes = await read.catch((error: unknown) => {
    if (error instanceof DamagedThreadError) return undefined;
    throw error;
  });
  return writes === undefined ? { status: "failed" } : statusOf(writes);
}

const newest = `select c.id, c.body, shape.content as shape,
    cast((select count(*) from glassloop_guards where thread = $1) as integer) as guards from glassloop_checkpoints c
  join glassloop_items shape on shape.thread = c.thread and shape.hash = c.shape
  where c.thread = $1 and c.namespace = '' order by c.sequence desc limit 1`;

/** Finds the status of a thread whose turn has not ended, from the pending writes of its newest checkpoint. */
function statusOf(writes: readonly CheckpointPendingWrite[]): Pick<ThreadSummary, "status" | "interrupts"> {
  const interrupts = openInterrupts(writes);
  if (interrupts.length > 0) return { status: "waiting", interrupts };
  return { status: writes.some(([, channel]) => channel === ERROR) ? "failed" : "interrupted" };
}

const interruptSchema = z.object({ id: z.string(), value: z.unknown() });
// Older releases of LangGraph write one question, and newer ones a list of them.
const interruptsSchema = z
  .union([z.array(interruptSchema), interruptSchema.transform((interrupt) => [interrupt])])
  .catch([]);

/** Returns the questions without an answer, of the tasks that are not done. */
function openInterrupts(writes: readonly CheckpointPendingWrite[]): WaitingInterrupt[] {
  const answers = unusedAnswers(writes);
  const done = new Set(writes.flatMap(([task, channel]) => (ownChannels.has(channel) ? [] : [task])));
  return writes.flatMap(([task, channel, value]) =>
    channel === INTERRUPT && !done.has(task) ? interruptsSchema.parse(value).filter(({ id }) => !answers.has(id)) : [],
  );
}

/** The channels in which LangGraph notes why a task is not done. */
const ownChannels = new Set([ERROR, INTERRUPT, RESUME]);
