import { ThreadError } from "../../base/errors.js";
import { type Database, type Row, textOf } from "../databases/database.js";

/** Reads the ids of a thread's pinned checkpoints, which are never pruned. */
export async function pinnedIn(database: Database, thread: string): Promise<Set<string>> {
  return toPins(await database.all(pinQuery, [thread]));
}

export const pinQuery = "select checkpoint from glassloop_pins where thread = $1 order by checkpoint";

export function toPins(rows: readonly Row[]): Set<string> {
  return new Set(rows.map((row) => textOf(row, "checkpoint")));
}

/** Pins a checkpoint. @throws ThreadError "checkpoint-not-kept" if there is no such checkpoint. */
export async function pinCheckpoint(database: Database, thread: string, checkpoint: string): Promise<void> {
  await database.batch([{ sql: insert, parameters: [thread, checkpoint] }]);
  if (!(await pinnedIn(database, thread)).has(checkpoint))
    throw new ThreadError("checkpoint-not-kept", thread, checkpoint);
}

/** One statement checks and inserts, so that no pruning can come between the two. */
const insert = `insert into glassloop_pins (thread, checkpoint) select thread, id from glassloop_checkpoints
  where thread = $1 and namespace = '' and id = $2 on conflict do nothing`;

/** Unpins a checkpoint. Returns true if it was pinned. */
export async function unpinCheckpoint(database: Database, thread: string, checkpoint: string): Promise<boolean> {
  const rows = await database.change(
    "delete from glassloop_pins where thread = $1 and checkpoint = $2 returning checkpoint",
    [thread, checkpoint],
  );
  return rows.length > 0;
}
