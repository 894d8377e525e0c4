import { GlassloopError, ThreadError } from "../../base/errors.js";
import type { Database } from "../databases/database.js";

/**
 * Reads a part of a thread.
 *
 * @throws NewerDatabaseError for an error that is not a GlassloopError, if a newer Glassloop has changed the database
 *   meanwhile; else ThreadError "damaged-thread".
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
