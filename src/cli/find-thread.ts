import { GlassloopError, InvalidThreadIdError } from "../errors.js";
import type { Threads } from "../threads/open.js";
import type { ThreadSummary } from "../threads/thread-rows.js";

/** There is no thread with this id in a database. */
export class UnknownThreadError extends GlassloopError {
  constructor(
    readonly thread: string,
    readonly database: string,
  ) {
    super(`There is no thread "${thread}" in ${database}. "glassloop threads list" shows those that there are.`);
  }
}

/** A thread of a database, which an error names by its address. @throws UnknownThreadError when it has none with this id. */
export async function findThread(threads: Threads, id: string, database: string): Promise<ThreadSummary> {
  const thread = await threads.get(id).catch((error: unknown) => {
    if (error instanceof InvalidThreadIdError) return undefined;
    throw error;
  });
  if (thread) return thread;
  throw new UnknownThreadError(id, database);
}
