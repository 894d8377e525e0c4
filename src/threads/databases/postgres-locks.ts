import pg from "pg";
import type { DatabaseLocks } from "./database.js";
import { explainPostgres } from "./postgres-errors.js";

/**
 * Postgres's advisory locks, on a connection of their own. The server frees them when that connection ends, even if the
 * process or its host crashed. A broken connection is opened again, and takes its locks again.
 */
export class PostgresLocks implements DatabaseLocks {
  readonly #pool: pg.Pool;
  /**
   * The locks that this process has or asks for. They are counted here because the server sees only one owner for the
   * connection.
   */
  readonly #names = new Map<string, "asked" | "taken">();
  #session: Promise<pg.PoolClient> | undefined;
  #connection: pg.PoolClient | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** @param place The database, as errors name it. */
  constructor(
    config: pg.PoolConfig,
    private readonly place: string,
  ) {
    this.#pool = new pg.Pool({ ...config, max: 1 });
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => client.on("error", (error) => this.#lose(client, error)));
  }

  async take(name: string): Promise<boolean> {
    if (this.#names.has(name)) return false;
    this.#names.set(name, "asked");
    const taken = await this.#tryToLock(name).catch(async (error: unknown) => {
      await this.#forget(name);
      throw explainPostgres(this.place, error);
    });
    if (taken) this.#names.set(name, "taken");
    else await this.#forget(name);
    return taken;
  }

  async release(name: string): Promise<void> {
    if (this.#names.get(name) !== "taken") return;
    this.#names.set(name, "asked");
    const session = await this.#session?.catch(() => undefined);
    if (session !== undefined) await this.#query(session, unlock, name).catch(() => undefined);
    await this.#forget(name);
  }

  async keep(): Promise<void> {
    if (this.#names.size > 0) await this.#open();
  }

  async close(): Promise<void> {
    this.#names.clear();
    await this.#giveBack();
    await this.#pool.end();
  }

  async #tryToLock(name: string): Promise<boolean> {
    const session = await this.#open();
    const { rows } = await this.#query(session, lock, name);
    return rows[0]?.taken === true;
  }

  /** Runs a query after the last one has ended: a connection takes one query at a time. */
  #query(session: pg.PoolClient, sql: string, name: string): Promise<pg.QueryResult<{ taken: boolean }>> {
    const query = this.#last.then(() => session.query<{ taken: boolean }>(sql, [name]));
    this.#last = query.catch(() => undefined);
    return query;
  }

  #open(): Promise<pg.PoolClient> {
    this.#session ??= this.#connect().catch((error: unknown) => {
      this.#session = undefined;
      throw error;
    });
    return this.#session;
  }

  async #connect(): Promise<pg.PoolClient> {
    const session = await this.#pool.connect();
    this.#connection = session;
    // Another process may have taken a lock meanwhile, and keeps it. The run that lost it learns that from its guard
    // row.
    for (const [name, state] of this.#names) if (state === "taken") await session.query(lock, [name]);
    return session;
  }

  /** Forgets a lock. The connection is given back if no lock is left. */
  async #forget(name: string): Promise<void> {
    this.#names.delete(name);
    if (this.#names.size === 0) await this.#giveBack();
  }

  async #giveBack(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    const client = await session?.catch(() => undefined);
    if (client === undefined || client !== this.#connection) return;
    this.#connection = undefined;
    client.release();
  }

  #lose(client: pg.PoolClient, error: Error): void {
    if (client !== this.#connection) return;
    this.#connection = undefined;
    this.#session = undefined;
    client.release(error);
  }
}

/** The number of a lock, made from its name and the schema that the tables are in. */
const numberOf = "hashtextextended(current_schema() || '/' || $1, 1196184400)";
const lock = `select pg_try_advisory_lock(${numberOf}) as taken`;
const unlock = `select pg_advisory_unlock(${numberOf})`;
