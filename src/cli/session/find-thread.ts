import { InvalidThreadIdError, ThreadNotFoundError } from "../../base/errors.js";
import type { ThreadSummary } from "../../threads/checkpoints/thread-row.js";
import type { Threads } from "../../threads/open.js";

/**
 * Finds a thread by an id that a person typed.
 *
 * @throws ThreadNotFoundError if there is no thread with this id, or the id cannot be the id of a thread.
 */
export async function findThread(threads: Threads, id: string): Promise<ThreadSummary> {
  const thread = await threads.get(id).catch((error: unknown) => {
    if (error instanceof InvalidThreadIdError) return undefined;
    throw error;
  });
  if (thread) return thread;
  throw new ThreadNotFoundError(id);
}
