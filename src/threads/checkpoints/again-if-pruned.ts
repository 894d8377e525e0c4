import { type Database, numberOf } from "../databases/database.js";

const ATTEMPTS = 5;

/**
 * Runs an action that reads a thread with several queries. If it fails, and the thread was pruned or deleted meanwhile,
 * it runs again, up to 5 times.
 */
export async function againIfPruned<T>(database: Database, thread: string, read: () => Promise<T>): Promise<T> {
  for (let left = ATTEMPTS - 1; ; left -= 1) {
    const before = await countPrunings(database, thread);
    try {
      return await read();
    } catch (error) {
      if (left === 0 || (await countPrunings(database, thread)) === before) throw error;
    }
  }
}

/** Reads how often a thread was pruned; undefined if there is no such thread. */
export async function countPrunings(database: Database, thread: string): Promise<number | undefined> {
  const [row] = await database.all("select pruned from glassloop_threads where id = $1", [thread]);
  return row && numberOf(row, "pruned");
}
