import type { CheckpointPendingWrite } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { undefinedOn } from "../../base/attempted.js";
import { unusedAnswers } from "../../core/run/notes.js";
import { readApproval } from "../../core/state/approval.js";
import { usageSchema } from "../../core/state/usage.js";
import { askedIn, failureIn } from "../../langgraph/pending-writes.js";
import { type CheckpointVersions, joinCheckpoint } from "../checkpoints/checkpoint-body.js";
import { explainDamage } from "../checkpoints/explain-damage.js";
import { readPendingNodes } from "../checkpoints/pending-nodes.js";
import { readPendingWrites } from "../checkpoints/pending-writes.js";
import type { ThreadHead } from "../checkpoints/thread-row.js";
import { type Database, numberOf, optionalTextOf, type Row, rowsOf, textOf } from "../databases/database.js";
import { ThreadCache } from "../values/cache.js";
import type { Place } from "../values/read-channels.js";
import { isBeginning } from "./moments.js";
import { readNewestValues } from "./newest-values.js";

/**
 * Reads what the newest checkpoints of threads and their guards tell of them. Three queries are enough for all threads that
 * are idle.
 *
 * @param isRunning Tells whether a run uses a thread. Called only for threads with a guard row.
 * @returns The function that tells it of each of them.
 */
export async function readHeads(
  database: Database,
  threads: readonly string[],
  isRunning: (thread: string) => Promise<boolean>,
): Promise<(thread: string) => ThreadHead> {
  const rows = await database.all(newestQuery, [rowsOf(threads.map((thread) => [thread]))]);
  const read = rows.map((row) =>
    explainDamage(database, textOf(row, "thread"), async () => toVersions(row)).catch(undefinedOn("damaged-thread")),
  );
  const found = await Promise.all(read);
  const versions = new Map(found.flatMap((one) => one ?? []));
  const newest = new Map([...versions].map(([thread, { channel_versions }]) => [thread, channel_versions]));
  const [pending, newestOf] = await Promise.all([
    readPendingNodes(database, versions),
    readNewestValues(database, ["usage", "stopReason"], newest),
  ]);
  const heads = rows.map(async (row, at): Promise<readonly [string, ThreadHead]> => {
    const thread = textOf(row, "thread");
    const next = pending.get(thread) ?? [];
    const usage = usageSchema.safeParse(newestOf(thread, "usage")).data?.thread;
    // Before the first node of a turn has run, the reason is that of the turn before.
    const stopReason = isBeginning(next) ? undefined : z.string().safeParse(newestOf(thread, "stopReason")).data;
    const facts = { ...(stopReason !== undefined && { stopReason }), ...(usage && { usage }) };
    if (numberOf(row, "guards") > 0 && (await isRunning(thread))) return [thread, { status: "running", ...facts }];
    if (found[at] === undefined) return [thread, { status: "failed" }];
    const written = versions.get(thread)?.ts ?? "";
    const unfinished = next.length > 0 && (await readUnfinished(database, thread, textOf(row, "id"), written));
    return [thread, { ...(unfinished || { status: "idle" }), ...facts }];
  });
  const byThread = new Map(await Promise.all(heads));
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

/** Reads the status of a thread that stands at a checkpoint where its turn has not ended, from the pending writes there. */
export async function readUnfinished(
  database: Database,
  thread: string,
  checkpoint: string,
  writtenAt: string,
): Promise<ThreadHead> {
  const writes = await readWritesAt(database, { thread, namespace: "" }, checkpoint);
  return writes === undefined ? { status: "failed" } : headOf(writes, writtenAt);
}

/** Reads the pending writes at a checkpoint of a thread; undefined if they are damaged. */
export function readWritesAt(
  database: Database,
  place: Omit<Place, "cache">,
  checkpoint: string,
): Promise<CheckpointPendingWrite[] | undefined> {
  const read = explainDamage(database, place.thread, () =>
    readPendingWrites(database, { ...place, cache: new ThreadCache() }, checkpoint),
  );
  return read.catch(undefinedOn("damaged-thread"));
}

function headOf(writes: readonly CheckpointPendingWrite[], writtenAt: string): ThreadHead {
  const answers = unusedAnswers(writes);
  const interrupts = askedIn(writes).filter(({ id }) => !answers.has(id));
  if (interrupts.length === 0) return { status: failureIn(writes) !== undefined ? "failed" : "interrupted" };
  const times = interrupts.flatMap(({ value }) => readApproval(value)?.requests.map(({ askedAt }) => askedAt) ?? []);
  const [waitsSince = writtenAt] = times.filter((time) => time !== undefined).sort();
  return { status: "waiting", interrupts, waitsSince };
}
