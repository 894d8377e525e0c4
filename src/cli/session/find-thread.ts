import { InvalidThreadIdError, ThreadNotFoundError } from "../../base/errors.js";
import type { ThreadSummary } from "../../threads/checkpoints/thread-row.js";
import type { Threads } from "../../threads/open.js";

/**
 * A thread, by an id as it was typed.
 *
 * @throws ThreadNotFoundError when there is none, also where there could not be one with this id.
 */
export async function findThread(threads: Threads, id: string): Promise<ThreadSummary> {
  const thread = await threads.get(id).catch((error: unknown) => {
    if (error instanceof InvalidThreadIdError) return undefined;
    throw error;
  });
  if (thread) return thread;
  throw new ThreadNotFoundError(id);
}
