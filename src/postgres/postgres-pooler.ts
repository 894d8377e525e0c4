import type { PostgresClient } from "./postgres-client.js";
import type { PostgresPool } from "./postgres-pool.js";

/**
 * Tells whether a pooler is between this process and the server. Such a pooler gives each transaction any connection
 * to the server. So two transactions of one client can have different processes of the server, or two clients the same.
 *
 * Most poolers are known at once, because they tell a number of their own for the server's process. A pooler in session
 * mode counts, too: nothing that works without sessions is wrong there.
 */
export function isPooled(pool: PostgresPool): Promise<boolean> {
  return pool.use(async (client) => {
    if (!client.isDirect) return true;
    const before = await processOf(client);
    const seen = await whileAnotherIsBusy(pool, client).catch(() => undefined);
    return seen !== undefined && (seen.other === before || seen.own !== before);
  });
}

/** Asks for the server's processes of two connections, while one of them is in a transaction. */
function whileAnotherIsBusy(pool: PostgresPool, client: PostgresClient): Promise<{ own: number; other: number }> {
  return pool.use(async (busy) => {
    await busy.query("begin");
    try {
      return { other: await processOf(busy), own: await processOf(client) };
    } finally {
      await busy.query("rollback");
    }
  });
}

async function processOf(client: PostgresClient): Promise<number> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid ?? 0;
}
