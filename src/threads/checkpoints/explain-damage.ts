import { GlassloopError, ThreadError } from "../../base/errors.js";
import type { Database } from "../databases/database.js";

/**
 * Reads a part of a thread, and says what it means if that fails.
 *
 * @throws NewerDatabaseError if the read fails because a newer Glassloop has changed the database meanwhile; ThreadError
 *   "damaged-thread" for any other failure. A GlassloopError of the read is thrown as it is.
 */
export async function explainDamage<T>(database: Database, thread: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof GlassloopError) throw error;
    await database.checkVersion();
    throw new ThreadError("damaged-thread", thread, "", { cause: error });
  }
}
