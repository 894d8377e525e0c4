import { accessSync } from "node:fs";
import { undefinedOn } from "../../base/attempted.js";
import { ThreadError } from "../../base/errors.js";
import { codeOf } from "../../base/message-of.js";
import type { ThreadSummary } from "../../threads/checkpoints/thread-row.js";
import type { Threads } from "../../threads/open.js";
import { type DatabaseIo, databaseUrl, sqlitePath } from "../program/addresses.js";
import { UsageError } from "../program/exit-codes.js";
import { screenName } from "../screen/screen-text.js";

/**
 * Opens the threads for a command that adds none. If the database's file does not exist, it is not made. There are no
 * threads then.
 */
export async function openKeptThreads(option: string | undefined, io: DatabaseIo): Promise<Threads> {
  const url = databaseUrl(option, io);
  const { openThreads } = await import("../../threads/open.js");
  return openThreads(isStillToMake(url) ? "memory:" : url);
}

/** Tells whether a database is a file that does not exist. Mistakes in the address are left to {@link openThreads}. */
export function isStillToMake(url: string): boolean {
  const path = sqlitePath(url);
  if (path === undefined || path === ":memory:" || /^~(?:[\\/]|$)|[\\/]$/.test(path)) return false;
  try {
    accessSync(path);
    return false;
  } catch (error) {
    return codeOf(error) === "ENOENT";
  }
}

/** Finds the thread that was used last. @throws UsageError if there is none. */
export async function lastThread(threads: Threads): Promise<ThreadSummary> {
  const [last] = await threads.list({ limit: 1 });
  if (last !== undefined) return last;
  throw new UsageError("There is no thread yet to go on with. Ask without --continue.");
}

/**
 * Finds a thread by an id that a person typed, or by its beginning.
 *
 * @throws ThreadError "thread-not-found" if no id begins like this; UsageError if several do.
 */
export async function findThread(threads: Threads, id: string): Promise<ThreadSummary> {
  const thread = (await threadWithId(threads, id)) ?? (await threadFrom(threads, id));
  if (thread) return thread;
  throw new ThreadError("thread-not-found", id);
}

async function threadFrom(threads: Threads, beginning: string): Promise<ThreadSummary | undefined> {
  if (beginning === "") return undefined;
  const id = onlyOne(await threads.idsFrom(beginning, { limit: MOST_NAMED + 1 }), "threads", beginning);
  return id === undefined ? undefined : threads.get(id);
}

/** The most ids that an error names. */
const MOST_NAMED = 5;

/**
 * Returns the only id that begins with what a person typed; undefined if there is none.
 *
 * @param ids The ids that begin like this, but no more than one beyond {@link MOST_NAMED}.
 * @throws UsageError if there are several.
 */
function onlyOne(ids: readonly string[], what: string, beginning: string): string | undefined {
  const [id, ...others] = ids;
  if (others.length === 0) return id;
  const named = ids.slice(0, MOST_NAMED).map(screenName).join(", ");
  const more = ids.length > MOST_NAMED ? ", …" : "";
  throw new UsageError(`Several ${what} begin with "${beginning}": ${named}${more}. Give more of the id.`);
}

/** Finds a thread by its id; undefined if there is none, or the text cannot be an id. */
async function threadWithId(threads: Threads, id: string): Promise<ThreadSummary | undefined> {
  return threads.get(id).catch(undefinedOn("invalid-thread-id"));
}

const beginningOfGenerated = /^[0-9a-f]{8}[0-9a-f-]*$/;

/**
 * Finds the thread to go on with, or to start under an id. The beginning of an id that Glassloop made will do, from eight
 * characters. Any other text may be the id of a new thread.
 */
export async function threadToGoOnWith(threads: Threads, id: string): Promise<ThreadSummary | undefined> {
  return (await threadWithId(threads, id)) ?? (beginningOfGenerated.test(id) ? threadFrom(threads, id) : undefined);
}

/**
 * Finds a checkpoint of a thread by an id that a person typed, or by its beginning. If there is none, the text itself is
 * returned: the errors of {@link Threads} say that it is not kept.
 *
 * @throws UsageError if several ids begin like this.
 */
export async function findCheckpoint(threads: Threads, thread: string, typed: string): Promise<string> {
  const ids = typed === "" ? [] : await threads.checkpointsFrom(thread, typed, { limit: MOST_NAMED + 1 });
  return onlyOne(ids, `checkpoints of "${thread}"`, typed) ?? typed;
}
