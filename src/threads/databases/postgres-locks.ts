import pg from "pg";
import type { DatabaseLocks } from "./database.js";
import { explainPostgres } from "./postgres-errors.js";

/**
 * Postgres's advisory locks, held by one connection of their own: the server frees them when that connection ends,
 * however its process or its host ended. A connection that broke is opened again, with its locks.
 */
export class PostgresLocks implements DatabaseLocks {
  readonly #pool: pg.Pool;
  /** What this process has, or is asking for: for the server, all that comes over one connection is the same owner. */
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

  /** A connection takes one query at a time. */
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
    // Who took one of them meanwhile keeps it: whoever had it learns of it from its row.
    for (const [name, state] of this.#names) if (state === "taken") await session.query(lock, [name]);
    return session;
  }

  /** Keeps the connection only as long as it holds something. */
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

/** The number of a lock: of the name, in the schema that the tables are in. */
const numberOf = "hashtextextended(current_schema() || '/' || $1, 1196184400)";
const lock = `select pg_try_advisory_lock(${numberOf}) as taken`;
const unlock = `select pg_advisory_unlock(${numberOf})`;
