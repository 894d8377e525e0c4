import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { ThreadsDatabaseError } from "../../base/errors.js";
import { type Cell, type Database, type Row, type Statement, textOf } from "./database.js";
import { migration } from "./migrations.js";
import { PostgresBatch } from "./postgres-batch.js";
import { explainPostgres, isRefusedForNow, isUnreachable } from "./postgres-errors.js";
import { PostgresLocks } from "./postgres-locks.js";
import { type Dialect, schemaVersionQuery, tables, threadTables } from "./schema.js";

const RETRY_EVERY_MS = 100;
const WAIT_FOR_AT_MOST_MS = 15_000;

/**
 * Opens a Postgres database over a pool of connections. Makes the tables if they do not exist. They are made once, even
 * if several processes begin together. Their names begin with `glassloop_`, and they are in the first schema of the
 * connection's search path.
 *
 * @param url `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with the options that the `pg` package knows.
 * @throws ThreadsDatabaseError if the database cannot be reached or used.
 */
export async function openPostgres(url: string): Promise<Database> {
  const database = new PostgresDatabase(url);
  try {
    await database.prepare();
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

class PostgresDatabase implements Database {
  readonly locks: PostgresLocks;
  readonly #pool: pg.Pool;
  readonly #place: string;
  #closed: Promise<void> | undefined;
  #prepared = false;

  constructor(url: string) {
    this.#place = placeOf(url);
    const config: pg.PoolConfig = {
      connectionString: url,
      application_name: "glassloop",
      connectionTimeoutMillis: WAIT_FOR_AT_MOST_MS,
      keepAlive: true,
      // A process can end without closing its threads.
      allowExitOnIdle: true,
      types,
    };
    this.locks = new PostgresLocks(config, this.#place);
    this.#pool = new pg.Pool(config);
    // The pool replaces a connection that breaks while it is not used. Without a handler the error would end the
    // process.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => client.on("error", () => {}));
  }

  /** Makes the tables if they do not exist, and brings older tables to this version's layout. */
  async prepare(): Promise<void> {
    await this.#run(async (client) => {
      if ((await this.#missing(client)).length > 0) await this.#makeTables(client);
    });
    this.#prepared = true;
  }

  /** Returns the statements that the tables still need. */
  async #missing(client: pg.PoolClient): Promise<string[]> {
    const known = await client.query<{ known: boolean }>("select to_regclass('glassloop_meta') is not null as known");
    if (known.rows[0]?.known !== true) return tables(dialect);
    const version = await client.query<Row>(schemaVersionQuery);
    return migration(this.#place, version.rows[0] && textOf(version.rows[0], "value"), dialect);
  }

  /** Makes the tables. If another process does the same, the second one waits and then finds nothing left to do. */
  async #makeTables(client: pg.PoolClient): Promise<void> {
    await client.query("begin");
    try {
      await client.query(onlyOne);
      for (const sql of await this.#missing(client)) await client.query(sql);
      await client.query("commit");
    } catch (error) {
      await client.query("rollback");
      throw error;
    }
  }

  async batch(statements: readonly Statement[]): Promise<void> {
    if (statements.length === 0) return;
    await this.#run((client) => client.query(new PostgresBatch(statements)).done);
  }

  change(sql: string, parameters: readonly Cell[] = []): Promise<Row[]> {
    return this.all(sql, parameters);
  }

  async all(sql: string, parameters: readonly Cell[] = []): Promise<Row[]> {
    const { rows } = await this.#run((client) => client.query<Row>(sql, [...parameters]));
    return rows;
  }

  snapshot(queries: readonly Statement[]): Promise<Row[][]> {
    return this.#run(async (client) => {
      await client.query("begin isolation level repeatable read read only");
      try {
        const results: Row[][] = [];
        for (const { sql, parameters } of queries) results.push((await client.query<Row>(sql, [...parameters])).rows);
        return results;
      } finally {
        await client.query("rollback");
      }
    });
  }

  async vacuum(): Promise<void> {
    for (const table of ["glassloop_threads", ...threadTables]) {
      await this.#run((client) => client.query(`vacuum full ${table}`));
    }
  }

  close(): Promise<void> {
    this.#closed ??= Promise.all([this.#pool.end(), this.locks.close()]).then(() => undefined);
    return this.#closed;
  }

  /** Runs an action on a connection. Tries again for up to 15 s while the server refuses it without having done it. */
  async #run<T>(action: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const giveUpAt = performance.now() + WAIT_FOR_AT_MOST_MS;
    for (;;) {
      if (this.#closed) throw new ThreadsDatabaseError(this.#place, "it was closed. Open the threads again.");
      try {
        return await this.#runOnce(action);
      } catch (error) {
        // A server that answered before is expected back. A server that never answered means a wrong address.
        const waits = isRefusedForNow(error) || (this.#prepared && isUnreachable(error));
        if (!waits || performance.now() > giveUpAt) throw explainPostgres(this.#place, error);
      }
      await sleep(RETRY_EVERY_MS);
    }
  }

  async #runOnce<T>(action: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let broken: Error | undefined;
    const onError = (error: Error) => {
      broken = error;
    };
    client.on("error", onError);
    try {
      return await action(client);
    } finally {
      client.off("error", onError);
      client.release(broken);
    }
  }
}

const dialect: Dialect = {
  text: 'text collate "C"',
  sequence: "bigint generated always as identity primary key",
  smallRows: "",
};

/**
 * A lock for the process that makes the tables. It ends with the transaction. Its number is the application's own:
 * "GLSP".
 */
const onlyOne = `select pg_advisory_xact_lock(${0x474c5350})`;

/**
 * Postgres sends sums and counts as text, because they may exceed JavaScript's exact numbers. Sums and counts of
 * threads do not.
 */
const types: pg.CustomTypesConfig = {
  getTypeParser(type, format) {
    if (type === pg.types.builtins.INT8 || type === pg.types.builtins.NUMERIC) return Number;
    return pg.types.getTypeParser(type, format);
  },
};

/** Returns the database as errors name it: without user and password. */
function placeOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  return parsed ? `postgres://${parsed.host}${parsed.pathname}` : "postgres:";
}
