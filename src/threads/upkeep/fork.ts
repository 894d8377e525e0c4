import { ThreadError } from "../../base/errors.js";
import { againIfPruned } from "../checkpoints/again-if-pruned.js";
import { explainDamage } from "../checkpoints/damaged-checkpoints.js";
import { type CheckpointRow, contentOf, readThreadContent, type WholeContent } from "../checkpoints/thread-content.js";
import { type ThreadRow, turnCells } from "../checkpoints/thread-row.js";
import type { Database } from "../databases/database.js";
import { CheckpointTree, noteOf } from "../lookup/checkpoint-tree.js";
import { readThread } from "../lookup/thread-rows.js";
import { toSerialized } from "../values/decode.js";
import { readItems } from "../values/items.js";
import { LongTexts } from "../values/long-texts.js";
import { deserialize } from "../values/serialize.js";
import { hashesOf, isEntry, parseStoredValue } from "../values/stored-form.js";
import { copyStatements } from "./copy-thread.js";

/** The checkpoint to fork, and the id of the new thread. */
interface Fork {
  readonly source: ThreadRow;
  readonly checkpoint: string;
  readonly newThread: string;
}

/**
 * Copies a checkpoint, and all checkpoints before it that are kept, into a new thread: all of them or nothing.
 *
 * @throws ThreadError "checkpoint-not-kept", "thread-exists", "damaged-thread"
 */
export function forkThread(database: Database, fork: Fork): Promise<void> {
  return againIfPruned(database, fork.source.id, () => copyCheckpoint(database, fork));
}

async function copyCheckpoint(database: Database, { source, checkpoint, newThread }: Fork): Promise<void> {
  if ((await readThread(database, newThread)) !== undefined) throw new ThreadError("thread-exists", newThread);
  const content = await readThreadContent(database, source.id);
  const past = new Set([...new CheckpointTree(content.checkpoints).pathFrom(checkpoint)].map(({ id }) => id));
  if (past.size === 0) throw new ThreadError("checkpoint-not-kept", source.id, checkpoint);
  const isPast = (row: CheckpointRow) => past.has(row.namespace === "" ? row.id : (noteOf(row).parents[""] ?? ""));
  const [copied, turn] = await explainDamage(source.id, async () => {
    const past = contentOf(content, isPast);
    return [past, await readTurn(database, source.id, checkpoint, past)] as const;
  });
  const [title, lastQuestion, turns] = turnCells(turn);
  const now = new Date().toISOString();
  const row = {
    ...source,
    id: newThread,
    createdAt: now,
    updatedAt: now,
    title: title ?? (turns > 0 ? source.title : undefined),
    lastQuestion: lastQuestion ?? undefined,
    turns,
  };
  await database.transact(() => copyStatements(database, source.id, copied, row));
}

/** Reads the value of an agent's `turn` channel at a checkpoint. */
async function readTurn(database: Database, thread: string, id: string, content: WholeContent): Promise<unknown> {
  const checkpoint = content.checkpoints.find((row) => row.namespace === "" && row.id === id);
  const version = checkpoint?.versions.channel_versions.turn;
  const row = content.versions.find((row) => row.namespace === "" && row.channel === "turn" && row.version === version);
  if (row === undefined) return undefined;
  const value = parseStoredValue(row.body);
  if (!isEntry(value)) return undefined;
  const items = await readItems(database, thread, hashesOf(value));
  return deserialize(toSerialized(value, { items, texts: new LongTexts() }));
}
