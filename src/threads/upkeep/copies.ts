import { INTERRUPT, WRITES_IDX_MAP } from "@langchain/langgraph-checkpoint";
import { ThreadError } from "../../base/errors.js";
import { againIfPruned, countPrunings } from "../checkpoints/again-if-pruned.js";
import type { ThreadCheckpointer } from "../checkpoints/checkpointer.js";
import { explainDamage } from "../checkpoints/explain-damage.js";
import {
  type CheckpointRow,
  contentOf,
  readThreadContent,
  readWholeThread,
  type ThreadContent,
  type WholeContent,
} from "../checkpoints/thread-content.js";
import { leftoverStatements, newThreadStatement, type ThreadRow, turnCells } from "../checkpoints/thread-row.js";
import { type Cell, type Database, readNow, rowsOf, type Statement, textOf } from "../databases/database.js";
import { chunksOf, insertMissing } from "../databases/insert-rows.js";
import { holding } from "../guard/lease.js";
import { CheckpointTree, noteOf } from "../lookup/checkpoint-tree.js";
import { labelStatements, readMetadata } from "../lookup/labels.js";
import { readThread } from "../lookup/thread-rows.js";
import { readItems } from "../values/items.js";
import { readBodies } from "../values/read-channels.js";
import type { Serialized } from "../values/serialize.js";

/**
 * Copies a thread into another database, as it is at one moment: all of it or nothing. The id is held there meanwhile,
 * so that no run begins a thread with it.
 *
 * @throws ThreadError "thread-exists", ThreadInUseError if a run uses the id there, ThreadError "damaged-thread"
 */
export function copyThread(source: Database, row: ThreadRow, target: ThreadCheckpointer): Promise<void> {
  return makeThread(target, row.id, (write) =>
    againIfPruned(source, row.id, async () =>
      writeCopy(source, row.id, await readWholeThread(source, row.id), row, write),
    ),
  );
}

/** Writes rows of the new thread. A run cannot have its id meanwhile. */
type Write = (statements: readonly Statement[], options?: { readonly synced: boolean }) => Promise<void>;

/** Makes a thread that must not exist. If that fails, nothing of it stays. */
async function makeThread(
  { database, guard }: ThreadCheckpointer,
  id: string,
  make: (write: Write) => Promise<void>,
): Promise<void> {
  await holding(guard.take(id), async ({ owner }) => {
    if ((await readThread(database, id)) !== undefined) throw new ThreadError("thread-exists", id);
    const write: Write = (statements, options) => guard.write(id, owner, statements, options);
    await make(write).catch(async (error: unknown) => {
      await write(leftoverStatements(id)).catch(() => undefined);
      throw error;
    });
  });
}

/**
 * Writes rows of a thread as those of a new one. Its items are read and written a few at a time, so that others can write
 * between. Nobody sees them before the last transaction, which writes everything else.
 */
async function writeCopy(
  source: Database,
  from: string,
  { hashes, checkpoints, versions, writes }: WholeContent,
  row: ThreadRow,
  write: Write,
): Promise<void> {
  const insert = (into: string, rows: readonly (readonly Cell[])[]) =>
    insertMissing(
      into,
      rows.map((cells) => [row.id, ...cells]),
    );
  for await (const items of itemPages(source, from, hashes)) {
    const texts = await source.all(textQuery, [from, rowsOf([...items.keys()].map((hash) => [hash]))]);
    const itemRows = [...items].map(([hash, { type, content }]) => [hash, type, content]);
    const textRows = texts.map((text) => [textOf(text, "hash"), textOf(text, "folded")]);
    const statements = [
      ...insert("glassloop_items (thread, hash, type, content)", itemRows),
      ...insert("glassloop_texts (thread, hash, folded)", textRows),
    ];
    await write(statements, { synced: false });
  }
  const metadata = (await readMetadata(source, [from])).get(from);
  // Rows of a newer version must not come into a database of this one.
  await source.checkVersion();
  await write([
    newThreadStatement(row),
    ...(metadata === undefined ? [] : labelStatements(row.id, metadata)),
    ...insert(
      "glassloop_checkpoints (thread, namespace, id, parent, shape, body, metadata)",
      checkpoints.map((row) => [row.namespace, row.id, row.parent ?? null, row.shape, row.body, row.metadata]),
    ),
    ...insert(
      "glassloop_versions (thread, namespace, channel, version, base, body)",
      versions.map((row) => [row.namespace, row.channel, row.version, row.base ?? null, row.body]),
    ),
    ...insert(
      "glassloop_writes (thread, namespace, checkpoint, task, position, body)",
      writes.map((row) => [row.namespace, row.checkpoint, row.task, row.position, row.body]),
    ),
  ]);
}

const textQuery = `select t.hash, t.folded from json_array_elements($2) wanted cross join glassloop_texts t
  where t.thread = $1 and t.hash = wanted.value ->> 0`;

/** Reads items of a thread, a few at a time. @throws ThreadError "damaged-thread" if one is missing: it may have been pruned. */
async function* itemPages(
  database: Database,
  thread: string,
  hashes: Iterable<string>,
): AsyncGenerator<Map<string, Serialized>> {
  for (const page of chunksOf([...hashes])) {
    const items = await readItems(database, thread, page);
    if (items.size < page.length) throw new ThreadError("damaged-thread", thread);
    yield items;
  }
}

/** The checkpoint to fork, and the id of the new thread. */
interface Fork {
  readonly source: ThreadRow;
  readonly checkpoint: string;
  readonly newThread: string;
}

/**
 * Copies a checkpoint, and all checkpoints before it that are kept, into a new thread: all of them or nothing. A step that asks a
 * person is not copied before it has ended: two threads would have one question, and each an answer.
 *
 * @throws ThreadError "checkpoint-not-kept", "thread-exists", "thread-waiting", "damaged-thread"; ThreadInUseError if a run uses
 * the new id
 */
export function forkThread(checkpointer: ThreadCheckpointer, fork: Fork): Promise<void> {
  const { database } = checkpointer;
  return makeThread(checkpointer, fork.newThread, (write) =>
    againIfPruned(database, fork.source.id, () => copyCheckpoint(database, fork, write)),
  );
}

async function copyCheckpoint(
  database: Database,
  { source, checkpoint, newThread }: Fork,
  write: Write,
): Promise<void> {
  const content = await readThreadContent(database, source.id);
  const past = new Set([...new CheckpointTree(content.checkpoints).pathFrom(checkpoint)].map(({ id }) => id));
  if (past.size === 0) throw new ThreadError("checkpoint-not-kept", source.id, checkpoint);
  const ended = endedSteps(content.checkpoints);
  if (waitsAt(checkpoint, content, ended)) throw new ThreadError("thread-waiting", source.id, checkpoint);
  const hasEnded = ended.has(checkpoint);
  const isPast = (row: CheckpointRow) => {
    if (row.namespace === "") return past.has(row.id);
    const owner = noteOf(row).parents[""] ?? "";
    return past.has(owner) && !(hasEnded && owner === checkpoint);
  };
  const writes = content.writes.filter((write) => !(hasEnded && write.checkpoint === checkpoint));
  const [copied, turn] = await explainDamage(database, source.id, async () => {
    const past = contentOf({ ...content, writes }, isPast);
    return [past, await readTurn(database, source.id, checkpoint, past)] as const;
  });
  const [title, lastQuestion, turns] = turnCells(turn);
  const now = new Date(await readNow(database)).toISOString();
  const row = {
    ...source,
    id: newThread,
    createdAt: now,
    updatedAt: now,
    title: title ?? (turns > 0 ? source.title : undefined),
    lastQuestion: lastQuestion ?? undefined,
    turns,
  };
  await writeCopy(database, source.id, copied, row, write);
}

/**
 * Returns the checkpoints whose steps have ended. What stands beside such a checkpoint, and what subgraphs did in its step,
 * came later than the checkpoint itself.
 */
function endedSteps(checkpoints: readonly CheckpointRow[]): Set<string | undefined> {
  const results = checkpoints.filter((row) => row.namespace === "" && noteOf(row).source === "loop");
  return new Set(results.map(({ parent }) => parent));
}

/** Tells whether the step at a checkpoint asks a person, or is the one before that, which would lead to the same call. */
function waitsAt(checkpoint: string, { checkpoints, writes }: ThreadContent, ended: Set<string | undefined>): boolean {
  const asking = new Set(
    writes.flatMap(({ namespace, position, checkpoint }) =>
      namespace === "" && position === WRITES_IDX_MAP[INTERRUPT] && !ended.has(checkpoint) ? [checkpoint] : [],
    ),
  );
  return checkpoints.some(
    ({ namespace, id, parent }) => namespace === "" && asking.has(id) && (id === checkpoint || parent === checkpoint),
  );
}

/** Reads the value of an agent's `turn` channel at a checkpoint. */
async function readTurn(database: Database, thread: string, id: string, content: WholeContent): Promise<unknown> {
  const checkpoint = content.checkpoints.find((row) => row.namespace === "" && row.id === id);
  const version = checkpoint?.versions.channel_versions.turn;
  const row = content.versions.find((row) => row.namespace === "" && row.channel === "turn" && row.version === version);
  const [turn] = await readBodies(database, thread, row === undefined ? [] : [row.body]);
  return turn;
}

/** The format of the lines. Raise it with every change that a reader must know of. */
const FORMAT = 1;

/** Writes a thread as JSON Lines. The last one has the number of lines before it: without it they are cut off. */
export async function* exportThread(
  database: Database,
  { updatedAt: _, ...thread }: ThreadRow,
): AsyncGenerator<string> {
  let lines = 1;
  const metadata = (await readMetadata(database, [thread.id])).get(thread.id);
  yield toLine({ type: "glassloop-thread", format: FORMAT, thread: { ...thread, ...(metadata && { metadata }) } });
  for await (const part of partsOf(database, thread.id)) {
    yield toLine(part);
    lines += 1;
  }
  // Rows of a newer version are of other forms. Without its last line the export is cut off.
  await database.checkVersion();
  yield toLine({ type: "end", lines });
}

async function* partsOf(database: Database, thread: string): AsyncGenerator<object> {
  const prunings = await countPrunings(database, thread);
  const content = await readWholeThread(database, thread);
  try {
    for await (const items of itemPages(database, thread, content.hashes)) {
      for (const [hash, { type, content }] of items) yield { type: "item", hash, as: type, content };
    }
  } catch (error) {
    throw (await countPrunings(database, thread)) === prunings ? error : new ThreadError("thread-pruned", thread);
  }
  for (const { versions: _, ...checkpoint } of content.checkpoints) yield { type: "checkpoint", ...checkpoint };
  for (const version of content.versions) yield { type: "version", ...version };
  for (const write of content.writes) yield { type: "write", ...write };
}

function toLine(part: object): string {
  return `${JSON.stringify(part)}\n`;
}
