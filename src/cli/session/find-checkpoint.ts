import type { Threads } from "../../threads/open.js";
import { MOST_NAMED, onlyOne } from "./find-thread.js";

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
