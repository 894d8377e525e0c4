import { randomUUID } from "node:crypto";
import { InOrder } from "../../base/in-order.js";
import { type PostgresClient, type PostgresPool, processTold } from "../../postgres/postgres-pool.js";
import type { PostgresServer } from "../../postgres/postgres-server.js";
import type { DatabasePresence } from "./database.js";

/**
 * A sign of life that the server keeps: an advisory lock on a connection of its own. The server frees it when that
 * connection ends, even if the process or its host crashed. A broken connection is opened again.
 *
 * Behind a pooler a connection does not belong to the process, so no lock is taken. Other processes then learn only from the
 * time of a guard row that its process is gone. The name tells whether there is a lock.
 */
export class PostgresPresence implements DatabasePresence {
  readonly name: string;
  #uses = 0;
  #client: PostgresClient | undefined;
  #reopenedAt = Number.NEGATIVE_INFINITY;
  /** The lock is taken or freed once, however many show and hide. */
  readonly #steps = new InOrder();

  private constructor(
    private readonly server: PostgresServer,
    readonly isPooled: boolean,
  ) {
    this.name = `${isPooled ? "pooled" : SHOWN} ${randomUUID()}`;
  }

  static async on(server: PostgresServer): Promise<PostgresPresence> {
    // The pool could take the last connections of this user, and keep them.
    const opened = server.session.use(async () => undefined).catch(() => undefined);
    const pooled = await server.tryToRun(() => isPooled(server.pool));
    await opened;
    return new PostgresPresence(server, pooled);
  }

  show(): Promise<void> {
    return this.#steps.run(async () => {
      if (this.#uses === 0) await this.#lock();
      this.#uses += 1;
    });
  }

  hide(): Promise<void> {
    return this.#steps.run(async () => {
      this.#uses -= 1;
      // A connection on which this fails is ended, and the lock with it.
      const { session } = this.server;
      if (this.#uses === 0 && session.isOpen && !this.isPooled)
        await session.use((client) => client.query(unlock)).catch(() => undefined);
    });
  }

  keep(): Promise<void> {
    return this.#steps.run(async () => {
      // A silently broken connection is noticed only when it is used. A new connection has no lock yet.
      if (this.#uses > 0) await this.#lock();
    });
  }

  async gone(names: readonly string[]): Promise<ReadonlySet<string>> {
    const shown = names.filter((name) => name.startsWith(`${SHOWN} `));
    if (shown.length === 0 || this.isPooled) return new Set();
    return this.#onSession(async (client) => {
      // What broke this connection may have broken those of all others, who live, and lock again at their next heartbeat.
      if (performance.now() - this.#reopenedAt < LOCKED_AGAIN_MS) return new Set();
      const { rows } = await client.query<{ name: string }>(free, [shown]);
      return new Set(rows.map(({ name }) => name));
    });
  }

  async #lock(): Promise<void> {
    if (this.isPooled) return;
    await this.#onSession((client) => client.query(lock, [this.name]));
  }

  #onSession<T>(action: (client: PostgresClient) => Promise<T>): Promise<T> {
    return this.server.tryToRun(() =>
      this.server.session.use((client) => {
        if (this.#client !== undefined && this.#client !== client) this.#reopenedAt = performance.now();
        this.#client = client;
        return action(client);
      }),
    );
  }
}

const SHOWN = "session";
const LOCKED_AGAIN_MS = 3_000;

const numberOf = (name: string) => `hashtextextended(${name}, 1196184400)`;
const free = `select name from unnest($1::text[]) name where pg_try_advisory_xact_lock(${numberOf("name")})`;
/** A lock may be taken several times, and must be released as often. */
const lock = `select pg_advisory_lock_shared(${numberOf("$1")})`;
const unlock = "select pg_advisory_unlock_all()";

/**
 * Tells whether a pooler is between this process and the server. Such a pooler gives each transaction any connection to the
 * server: two transactions of one client can run in different backend processes, and two clients in the same one.
 *
 * Most poolers are known at once, because they tell a number of their own for the server's process. A pooler in session
 * mode counts, too: nothing that works without sessions is wrong there.
 */
function isPooled(pool: PostgresPool): Promise<boolean> {
  return pool.use(async (client) => {
    const before = await processOf(client);
    if (before !== processTold(client)) return true;
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
