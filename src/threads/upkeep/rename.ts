import { ThreadError } from "../../base/errors.js";
import type { ThreadCheckpointer } from "../checkpoints/checkpointer.js";
import { contentTables, leftoverStatements, newPruned } from "../checkpoints/thread-row.js";
import type { Statement } from "../databases/database.js";
import { holding } from "../guard/lease.js";
import { fenceStatement } from "../guard/rows.js";
import { readThread } from "../lookup/thread-rows.js";

/**
 * Gives a thread another id: all of it or nothing. Both ids are held meanwhile, so that no run uses either of them.
 *
 * @throws ThreadError "thread-not-found", ThreadError "thread-exists", ThreadInUseError
 */
export async function renameThread(checkpointer: ThreadCheckpointer, from: string, to: string): Promise<void> {
  if (from === to) throw new ThreadError("thread-exists", to);
  const { database, guard, shared } = checkpointer;
  await holding(guard.take(from), (lease) =>
    holding(guard.take(to), async ({ owner }) => {
      if ((await readThread(database, from)) === undefined) throw new ThreadError("thread-not-found", from);
      if ((await readThread(database, to)) !== undefined) throw new ThreadError("thread-exists", to);
      const statements = [
        fenceStatement(database, to, owner),
        ...leftoverStatements(to),
        ...renameStatements(from, to),
      ];
      await shared.writer.store(lease, { statements });
    }),
  );
  for (const thread of [from, to]) shared.caches.forget(thread);
}

function renameStatements(from: string, to: string): Statement[] {
  return [
    { sql: "update glassloop_threads set id = $2, pruned = $3 where id = $1", parameters: [from, to, newPruned()] },
    ...contentTables.map((table) => ({
      sql: `update ${table} set thread = $2 where thread = $1`,
      parameters: [from, to],
    })),
  ];
}
