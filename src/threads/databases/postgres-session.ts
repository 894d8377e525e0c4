import { randomUUID } from "node:crypto";
import { inGroups } from "../../base/in-groups.js";
import { type PostgresClient, type PostgresPool, processTold } from "../../postgres/postgres-pool.js";
import type { Listening } from "./database.js";

/**
 * Opens the connection of a database that stays open. Behind a pooler there is none, as a connection there does not belong to
 * the process. Other processes then learn only from the time of a guard row that this process is gone.
 *
 * @param alone A pool of one connection. The server keeps its locks as long as it is open.
 */
export async function openSession(pool: PostgresPool, alone: PostgresPool): Promise<Listening | undefined> {
  // It comes first: the pool could take the last connection of this user, and of two that ask at once the server may refuse both.
  await alone.use(async () => undefined).catch(() => undefined);
  return (await pool.run((client) => isPooled(pool, client))) ? undefined : new PostgresSession(alone);
}

/**
 * A connection that holds an advisory lock as a sign of life, and listens. The server frees the lock when the connection ends,
 * even if the process or its host crashed. A broken connection is opened again.
 */
export class PostgresSession implements Listening {
  readonly name = `${SHOWN} ${randomUUID()}`;
  readonly #hearers = new Set<(signal: string) => void>();
  #client: PostgresClient | undefined;
  #reopenedAt = Number.NEGATIVE_INFINITY;
  #kept: Promise<unknown> | undefined;
  #keeping: NodeJS.Timeout | undefined;

  constructor(private readonly alone: PostgresPool) {}

  /** A silently broken connection is noticed only when it is used. Those who ask meanwhile wait for the same answer. */
  keep(): Promise<unknown> {
    this.#kept ??= this.#run((client) => client.query(lock, [this.name])).finally(() => {
      this.#kept = undefined;
    });
    return this.#kept;
  }

  async gone(names: readonly string[]): Promise<ReadonlySet<string>> {
    const shown = names.filter((name) => name.startsWith(`${SHOWN} `));
    if (shown.length === 0) return new Set();
    return this.#run(async (client) => {
      // What broke this connection may have broken those of all others, who live, and lock again at their next heartbeat.
      if (performance.now() - this.#reopenedAt < LOCKED_AGAIN_MS) return new Set();
      const { rows } = await client.query<{ name: string }>(free, [shown]);
      return new Set(rows.map(({ name }) => name));
    });
  }

  send(signal: string): void {
    void this.#notify(signal);
  }

  hear(hearer: (signal: string) => void): () => void {
    this.#hearers.add(hearer);
    const listen = () => this.#tryTo(async () => undefined);
    this.#keeping ??= setInterval(listen, LISTENS_AGAIN_MS).unref();
    listen();
    return () => {
      this.#hearers.delete(hearer);
      if (this.#hearers.size > 0) return;
      clearInterval(this.#keeping);
      this.#keeping = undefined;
    };
  }

  /** One statement sends all that are due, as each commit of a `NOTIFY` waits for all others of the database. */
  readonly #notify = inGroups<string, void>({
    count: (due) => due.length,
    run: async (signals) => {
      await this.#tryTo((client) => client.query(notify, [signals]));
      return signals.map(() => undefined);
    },
  });

  /** What fails is lost, as a signal may be. */
  #tryTo(action: (client: PostgresClient) => Promise<unknown>): Promise<unknown> {
    return this.alone.use((client) => this.#listening(client).then(action)).catch(() => undefined);
  }

  #run<T>(action: (client: PostgresClient) => Promise<T>): Promise<T> {
    return this.alone.run((client) => this.#listening(client).then(action));
  }

  /** Returns the connection once it listens. */
  async #listening(client: PostgresClient): Promise<PostgresClient> {
    if (this.#client === client) return client;
    client.on("notification", ({ payload = "" }) => {
      for (const hearer of this.#hearers) hearer(payload);
    });
    // A signal that a crash loses is found in the rows. So no commit of one waits for the disk.
    await client.query("set synchronous_commit = off");
    await client.query(`listen ${CHANNEL}`);
    if (this.#client !== undefined) this.#reopenedAt = performance.now();
    this.#client = client;
    return client;
  }
}

const SHOWN = "session";
const LOCKED_AGAIN_MS = 3_000;
/** The time between two looks whether the connection is still the one that listens, in milliseconds. */
const LISTENS_AGAIN_MS = 1_000;
const CHANNEL = "glassloop";
const notify = `select pg_notify('${CHANNEL}', signal) from unnest($1::text[]) signal`;

const numberOf = (name: string) => `hashtextextended(${name}, 1196184400)`;
const free = `select name from unnest($1::text[]) name where pg_try_advisory_xact_lock(${numberOf("name")})`;
/** A lock may be taken several times. */
const lock = `select pg_advisory_lock_shared(${numberOf("$1")})`;

/**
 * Tells whether a pooler is between this process and the server. Such a pooler gives each transaction any connection to the
 * server: two transactions of one client can run in different backend processes, and two clients in the same one.
 *
 * Most poolers are known at once, because they tell a number of their own for the server's process. A pooler in session
 * mode counts, too: nothing that works without sessions is wrong there.
 */
async function isPooled(pool: PostgresPool, client: PostgresClient): Promise<boolean> {
  const own = await processOf(client);
  if (own !== processTold(client)) return true;
  const whileAnotherIsBusy = pool.use(async (busy) => {
    await busy.query("begin");
    try {
      return { other: await processOf(busy), again: await processOf(client) };
    } finally {
      await busy.query("rollback");
    }
  });
  const seen = await whileAnotherIsBusy.catch(() => undefined);
  return seen !== undefined && (seen.other === own || seen.again !== own);
}

async function processOf(client: PostgresClient): Promise<number> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid ?? 0;
}
