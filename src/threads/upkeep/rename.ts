import { randomInt } from "node:crypto";
import { ThreadError } from "../../base/errors.js";
import type { ThreadCheckpointer } from "../checkpoints/checkpointer.js";
import type { Statement } from "../databases/database.js";
import { threadTables } from "../databases/schema.js";
import type { Hold } from "../guard/hold.js";
import { fenceStatement } from "../guard/rows.js";
import { readThread } from "../lookup/thread-rows.js";

/**
 * Gives a thread another id: all of it or nothing. Both ids are held meanwhile, so that no run uses either of them.
 *
 * @throws ThreadError "thread-not-found", "thread-exists", ThreadInUseError
 */
export async function renameThread(checkpointer: ThreadCheckpointer, from: string, to: string): Promise<void> {
  if (from === to) throw new ThreadError("thread-exists", to);
  const { database, guard, shared } = checkpointer;
  await holding(guard.take(from), (hold) =>
    holding(guard.take(to), async ({ owner }) => {
      if ((await readThread(database, from)) === undefined) throw new ThreadError("thread-not-found", from);
      if ((await readThread(database, to)) !== undefined) throw new ThreadError("thread-exists", to);
      const statements = [fenceStatement(database, to, owner), ...renameStatements(from, to)];
      await shared.writer.write(hold, { statements });
    }),
  );
  for (const thread of [from, to]) shared.caches.forget(thread);
}

async function holding(taken: Promise<Hold>, action: (hold: Hold) => Promise<void>): Promise<void> {
  const hold = await taken;
  await action(hold).finally(() => hold.release());
}

/** The rows of the guards stay: each belongs to the hold on an id. */
const movedTables = threadTables.filter((table) => table !== "glassloop_guards");

/**
 * Returns the statements that move the rows of a thread. Another process may remember an earlier thread with the new id.
 * It forgets that one, as the number of prunings is not the one it knows.
 */
function renameStatements(from: string, to: string): Statement[] {
  const pruned = randomInt(1, 2 ** 30);
  return [
    { sql: "update glassloop_threads set id = $2, pruned = $3 where id = $1", parameters: [from, to, pruned] },
    ...movedTables.map((table) => ({
      sql: `update ${table} set thread = $2 where thread = $1`,
      parameters: [from, to],
    })),
  ];
}
