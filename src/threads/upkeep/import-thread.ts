import { ThreadError, ThreadFileError } from "../../base/errors.js";
import { joinCheckpoint } from "../checkpoints/checkpoint-body.js";
import { contentOf, type WholeContent } from "../checkpoints/thread-content.js";
import { newThreadStatement } from "../checkpoints/thread-row.js";
import type { Database } from "../databases/database.js";
import { insertRows } from "../databases/insert-rows.js";
import { readThread } from "../lookup/thread-rows.js";
import { checkThreadId } from "../thread-id.js";
import { withTexts } from "../values/decode.js";
import { itemStatements } from "../values/write-channels.js";
import { checkParts, ofType } from "./check-parts.js";
import { contentStatements } from "./copy-thread.js";
import { orFileError, readThreadFile } from "./read-thread-file.js";
import type { ThreadPart } from "./thread-file.js";

/**
 * Reads an exported thread into a database: all of it or nothing.
 *
 * @param id A new id for the thread; its old id by default.
 * @returns The id of the thread.
 * @throws ThreadFileError, ThreadError "thread-exists"
 */
export async function importThread(
  database: Database,
  text: AsyncIterable<string> | Iterable<string>,
  id?: string,
): Promise<string> {
  const { header, parts } = await readThreadFile(text);
  const thread = checkThreadId(id ?? header.thread.id);
  if ((await readThread(database, thread)) !== undefined) throw new ThreadError("thread-exists", thread);
  const { settings } = header.thread;
  const content = wholeContent(parts);
  const pins = ofType(parts, "pin").map(({ checkpoint }) => [thread, checkpoint]);
  const items = new Map(
    ofType(parts, "item").map(({ hash, as, content }) => [hash, { hash, type: as, content }] as const),
  );
  await database.batch([
    newThreadStatement(thread, { ...header.thread, settings: settings && { ...settings, imported: true } }),
    ...itemStatements(
      thread,
      [...items.values()].map((item) => withTexts(item, items)),
    ),
    ...contentStatements(thread, content),
    ...insertRows("glassloop_pins (thread, checkpoint)", pins),
  ]);
  return thread;
}

/** Returns the rows of a thread. @throws ThreadFileError if a part that they need is missing. */
function wholeContent(parts: readonly ThreadPart[]): WholeContent {
  const items = new Map(ofType(parts, "item").map((item) => [item.hash, item.content]));
  const checkpoints = ofType(parts, "checkpoint").map(({ type: _, parent, ...row }) => ({
    ...row,
    parent,
    versions: orFileError(() => joinCheckpoint(items.get(row.shape) ?? "", row.body)),
  }));
  const versions = ofType(parts, "version").map(({ type: _, base, ...row }) => ({ ...row, base }));
  const writes = ofType(parts, "write");
  const journal = ofType(parts, "action").map(({ task, action, outcome }) => ({ task, action, outcome }));
  const content = orFileError(() => contentOf({ checkpoints, versions, writes, journal }, () => true));
  const keys = new Set(versions.map(({ namespace, channel, version }) => `${namespace}\0${channel}\0${version}`));
  const isWhole =
    checkpoints.length > 0 &&
    [...content.hashes].every((hash) => items.has(hash)) &&
    versions.every(
      ({ namespace, channel, base }) => base === undefined || keys.has(`${namespace}\0${channel}\0${base}`),
    );
  if (!isWhole) throw new ThreadFileError("A part of the thread is missing.");
  orFileError(() => checkParts(parts));
  return content;
}
