import { effectsIn, type RecordedEffect } from "../../core/run/notes.js";
import { readPendingWrites } from "../checkpoints/pending-writes.js";
import { type Database, textOf } from "../databases/database.js";
import { ThreadCache } from "../values/cache.js";

/** How the tasks of notes begin whose turn was undone. No other task begins so: their names are ids. */
export const UNDONE = "undone:";

/** Reads the calls with effects of undone turns, by the checkpoint to which the thread went back. */
export async function readUndoneEffects(database: Database, thread: string): Promise<Map<string, RecordedEffect[]>> {
  const query = `select distinct checkpoint from glassloop_writes where thread = $1 and namespace = '' and task like '${UNDONE}%'`;
  const checkpoints = (await database.all(query, [thread])).map((row) => textOf(row, "checkpoint"));
  const place = { thread, namespace: "", cache: new ThreadCache() };
  const effects = checkpoints.map(async (checkpoint) => {
    const writes = await readPendingWrites(database, place, checkpoint);
    return [checkpoint, effectsIn(writes.filter(([task]) => task.startsWith(UNDONE)))] as const;
  });
  return new Map(await Promise.all(effects));
}
