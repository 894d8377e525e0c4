import { InvalidThreadIdError, ThreadNotFoundError } from "../../base/errors.js";
import type { ThreadSummary } from "../../threads/checkpoints/thread-row.js";
import type { Threads } from "../../threads/open.js";
import { UsageError } from "../program/exit-codes.js";
import { screenName } from "../screen/screen-text.js";

/**
 * Finds a thread by an id that a person typed, or by its beginning.
 *
 * @throws ThreadNotFoundError if no id begins like this; UsageError if several do.
 */
export async function findThread(threads: Threads, id: string): Promise<ThreadSummary> {
  const thread = (await threadWithId(threads, id)) ?? (await threadFrom(threads, id));
  if (thread) return thread;
  throw new ThreadNotFoundError(id);
}

const MOST_NAMED = 5;

async function threadFrom(threads: Threads, beginning: string): Promise<ThreadSummary | undefined> {
  if (beginning === "") return undefined;
  const ids = await threads.idsFrom(beginning, { limit: MOST_NAMED + 1 });
  const [id, ...others] = ids;
  if (id === undefined || others.length === 0) return id === undefined ? undefined : threads.get(id);
  const named = ids.slice(0, MOST_NAMED).map(screenName).join(", ");
  const more = ids.length > MOST_NAMED ? ", …" : "";
  throw new UsageError(`Several threads begin with "${beginning}": ${named}${more}. Give more of the id.`);
}

/** Finds a thread by its id; undefined if there is none, or the text cannot be an id. */
async function threadWithId(threads: Threads, id: string): Promise<ThreadSummary | undefined> {
  return threads.get(id).catch((error: unknown) => {
    if (error instanceof InvalidThreadIdError) return undefined;
    throw error;
  });
}

const beginningOfGenerated = /^[0-9a-f]{8}[0-9a-f-]*$/;

/**
 * Finds the thread to go on with, or to start under an id. The beginning of an id that Glassloop made will do, from eight
 * characters. Any other text may be the id of a new thread.
 */
export async function threadToGoOnWith(threads: Threads, id: string): Promise<ThreadSummary | undefined> {
  return (await threadWithId(threads, id)) ?? (beginningOfGenerated.test(id) ? threadFrom(threads, id) : undefined);
}
