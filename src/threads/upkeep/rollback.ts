import { INTERRUPT, RESUME, WRITES_IDX_MAP } from "@langchain/langgraph-checkpoint";
import { holdsCalls, SETTLED_CHANNEL } from "../../core/run/notes.js";
import { explainDamage } from "../checkpoints/explain-damage.js";
import { type CheckpointRow, contentOf, readThreadContent, type ThreadContent } from "../checkpoints/thread-content.js";
import type { Database, Statement } from "../databases/database.js";
import { CheckpointTree, noteOf } from "../lookup/checkpoint-tree.js";
import { UNDONE } from "../lookup/undone-effects.js";
import { deletions, readNewest, readUnneeded } from "./prune.js";

/** A run of a server to undo. */
interface UndoneRun {
  readonly id: string;
  readonly thread: string;
  /** True if it brought an answer of a person. */
  readonly answers: boolean;
}

/**
 * Deletes the checkpoints of a run, so that its thread stands where it stood before: all of them or none. What its tools did
 * is not undone: the notes of that move to the checkpoint from which the run began. A question that the run answered waits
 * again.
 *
 * @param write The function that writes to the thread, which nobody else may use meanwhile.
 * @throws ThreadError "damaged-thread"; all errors of `write`.
 */
export async function rollBackRun(
  database: Database,
  write: (statements: readonly Statement[]) => Promise<void>,
  { id, thread, answers }: UndoneRun,
): Promise<void> {
  const before = await readNewest(database, thread);
  const content = await readThreadContent(database, thread);
  const isOfRun = (row: CheckpointRow) => noteOf(row).run_id === id;
  const start = startOf(content, isOfRun);
  const moved = start === undefined ? [] : notesOf(content, isOfRun);
  const writes = content.writes.map((row) =>
    moved.includes(row) ? { ...row, namespace: "", checkpoint: start ?? "" } : row,
  );
  const stays = await explainDamage(database, thread, async () =>
    contentOf({ ...content, writes }, (row) => !isOfRun(row)),
  );
  await write([
    ...moved.map(({ namespace, checkpoint, task }) => ({
      sql: move,
      parameters: [thread, namespace, checkpoint, task, start ?? ""],
    })),
    ...deletions(thread, before, content, stays, await readUnneeded(database, thread, stays)),
    ...(answers && start !== undefined ? askAgain(thread, stays, start) : []),
  ]);
}

/** Finds the checkpoint from which a run began; undefined if it was the first one of its thread. */
function startOf(content: ThreadContent, isOfRun: (row: CheckpointRow) => boolean): string | undefined {
  const tree = new CheckpointTree(content.checkpoints);
  const newest = tree.newest;
  const path = newest === undefined ? [] : [...tree.pathFrom(newest.id)];
  return path.find((row) => !isOfRun(row))?.id;
}

/** Returns the notes of calls beside checkpoints of a run. */
function notesOf({ checkpoints, writes }: ThreadContent, isOfRun: (row: CheckpointRow) => boolean) {
  const gone = new Set(checkpoints.filter(isOfRun).map(({ namespace, id }) => `${namespace}\0${id}`));
  return writes.filter((row) => gone.has(`${row.namespace}\0${row.checkpoint}`) && holdsCalls(row.body));
}

const move = `update glassloop_writes set namespace = '', checkpoint = $5, task = '${UNDONE}' || task
  where thread = $1 and namespace = $2 and checkpoint = $3 and task = $4`;

/**
 * Deletes the answers beside a checkpoint, and what the tasks wrote that had asked for them. A subgraph that asked has an answer
 * beside its own checkpoint, too.
 */
function askAgain(thread: string, { checkpoints, writes }: ThreadContent, checkpoint: string): Statement[] {
  const asking = writes.filter((row) => row.checkpoint === checkpoint && row.position === WRITES_IDX_MAP[INTERRUPT]);
  const isAsking = ({ namespace }: CheckpointRow) =>
    asking.some(({ task }) => namespace.split("|", 1)[0]?.endsWith(`:${task}`));
  const newest = new Map(checkpoints.filter(isAsking).map(({ namespace, id }) => [namespace, id]));
  return [["", checkpoint], ...newest].map(([namespace, id]) => ({
    sql: forget,
    parameters: [thread, namespace ?? "", id ?? ""],
  }));
}

/** The beginning of the note that an answer was taken. */
const settledNote = `[["${SETTLED_CHANNEL}"`;
const forget = `delete from glassloop_writes where thread = $1 and namespace = $2 and checkpoint = $3
  and (position = ${WRITES_IDX_MAP[RESUME]} or substr(body, 1, ${settledNote.length}) = '${settledNote}' or position >= 0 and task in (
    select task from glassloop_writes where thread = $1 and namespace = $2 and checkpoint = $3
      and position = ${WRITES_IDX_MAP[INTERRUPT]}))`;
