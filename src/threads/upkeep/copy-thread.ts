import { ThreadError } from "../../base/errors.js";
import { againIfPruned } from "../checkpoints/again-if-pruned.js";
import type { ThreadCheckpointer } from "../checkpoints/checkpointer.js";
import { readWholeThread, type WholeContent } from "../checkpoints/thread-content.js";
import { newThreadStatement, type ThreadRow } from "../checkpoints/thread-row.js";
import { type Cell, type Database, rowsOf, type Statement, textOf } from "../databases/database.js";
import { chunksOf, insertRows } from "../databases/insert-rows.js";
import { holding } from "../guard/hold.js";
import { fenceStatement } from "../guard/rows.js";
import { readThread } from "../lookup/thread-rows.js";
import { readItems } from "../values/items.js";
import type { Serialized } from "../values/serialize.js";

/**
 * Copies a thread into another database, as it is at one moment: all of it or nothing. The id is held there meanwhile,
 * so that no run begins a thread with it.
 *
 * @throws ThreadError "thread-exists", ThreadInUseError if a run uses the id there, ThreadError "damaged-thread"
 */
export async function copyThread(source: Database, row: ThreadRow, target: ThreadCheckpointer): Promise<void> {
  const { database } = target;
  await holding(target.guard.take(row.id), async ({ owner }) => {
    if ((await readThread(database, row.id)) !== undefined) throw new ThreadError("thread-exists", row.id);
    await againIfPruned(source, row.id, async () => {
      const content = await readWholeThread(source, row.id);
      await database.transact(async function* () {
        yield fenceStatement(database, row.id, owner);
        yield* copyStatements(source, row.id, content, row);
      });
    });
  });
}

/** Makes the statements that insert rows of a thread as those of a new one. Its items are read a few at a time. */
export async function* copyStatements(
  source: Database,
  from: string,
  { hashes, checkpoints, versions, writes }: WholeContent,
  row: ThreadRow,
): AsyncGenerator<Statement> {
  const insert = (into: string, rows: readonly (readonly Cell[])[]) =>
    insertRows(
      into,
      rows.map((cells) => [row.id, ...cells]),
    );
  yield newThreadStatement(row);
  for await (const items of itemPages(source, from, hashes)) {
    const texts = await source.all(textQuery, [from, rowsOf([...items.keys()].map((hash) => [hash]))]);
    const itemRows = [...items].map(([hash, { type, content }]) => [hash, type, content]);
    const textRows = texts.map((text) => [textOf(text, "hash"), textOf(text, "folded")]);
    yield* insert("glassloop_items (thread, hash, type, content)", itemRows);
    yield* insert("glassloop_texts (thread, hash, folded)", textRows);
  }
  yield* insert(
    "glassloop_checkpoints (thread, namespace, id, parent, shape, body, metadata)",
    checkpoints.map((row) => [row.namespace, row.id, row.parent ?? null, row.shape, row.body, row.metadata]),
  );
  yield* insert(
    "glassloop_versions (thread, namespace, channel, version, base, body)",
    versions.map((row) => [row.namespace, row.channel, row.version, row.base ?? null, row.body]),
  );
  yield* insert(
    "glassloop_writes (thread, namespace, checkpoint, task, position, body)",
    writes.map((row) => [row.namespace, row.checkpoint, row.task, row.position, row.body]),
  );
}

const textQuery = `select t.hash, t.folded from json_array_elements($2) wanted cross join glassloop_texts t
  where t.thread = $1 and t.hash = wanted.value ->> 0`;

/** Reads items of a thread, a few at a time. @throws ThreadError "damaged-thread" if one is missing: it may have been pruned. */
export async function* itemPages(
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
