import type { WholeContent } from "../checkpoints/thread-content.js";
import type { Statement } from "../databases/database.js";
import { chunksOf, insertRows } from "../databases/insert-rows.js";

/** Returns statements that copy items of a thread to another one. */
export function copyItems(from: string, to: string, hashes: Iterable<string>): Statement[] {
  return chunksOf([...hashes]).flatMap((chunk) => {
    const places = chunk.map((_, index) => `$${index + 3}`).join(", ");
    const which = `where thread = $1 and hash in (${places})`;
    const parameters = [from, to, ...chunk];
    return [
      {
        sql: `insert into glassloop_items (thread, hash, type, content)
          select $2, hash, type, content from glassloop_items ${which}`,
        parameters,
      },
      {
        sql: `insert into glassloop_texts (thread, hash, folded) select $2, hash, folded from glassloop_texts ${which}`,
        parameters,
      },
    ];
  });
}

/**
 * Returns a statement that fails if a thread does not have this number of items, and its transaction with it. Some were
 * pruned from the old thread then. It inserts a time of null, which the table refuses.
 */
export function wholeStatement(thread: string, items: number): Statement {
  return {
    sql: `insert into glassloop_threads (id, created_at, updated_at, turns) select $1, null, null, 0
      where (select count(*) from glassloop_items where thread = $1) <> $2`,
    parameters: [thread, items],
  };
}

/** Returns statements that insert the rows of a thread. Its items are not among them. */
export function contentStatements(
  thread: string,
  { checkpoints, versions, writes, journal }: WholeContent,
): Statement[] {
  return [
    ...insertRows(
      "glassloop_checkpoints (thread, namespace, id, parent, shape, body, metadata)",
      checkpoints.map((row) => [thread, row.namespace, row.id, row.parent ?? null, row.shape, row.body, row.metadata]),
    ),
    ...insertRows(
      "glassloop_versions (thread, namespace, channel, version, base, body)",
      versions.map((row) => [thread, row.namespace, row.channel, row.version, row.base ?? null, row.body]),
    ),
    ...insertRows(
      "glassloop_writes (thread, namespace, checkpoint, task, position, body)",
      writes.map((row) => [thread, row.namespace, row.checkpoint, row.task, row.position, row.body]),
    ),
    ...insertRows(
      "glassloop_journal (thread, task, action, outcome)",
      journal.map((row) => [thread, row.task, row.action, row.outcome ?? null]),
    ),
  ];
}
