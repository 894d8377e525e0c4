import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { ThreadsDatabaseError } from "../../base/errors.js";
import { keepSecretsOfAddress } from "../../base/secrets/known-secrets.js";
import { type Cell, type Database, type Row, type Statement, textOf } from "./database.js";
import { GroupCommit } from "./group-commit.js";
import { migration } from "./migrations.js";
import { PostgresBatch } from "./postgres-batch.js";
import type { PostgresClient } from "./postgres-client.js";
import { explainPostgres, isRefusedForNow, isUnreachable, wasUndone } from "./postgres-errors.js";
import { PostgresPool } from "./postgres-pool.js";
import { isPooled } from "./postgres-pooler.js";
import { PostgresPresence } from "./postgres-presence.js";
import { type Dialect, schemaVersionQuery, tables, threadTables } from "./schema.js";
import { ANY_TIME_MS, type TimeLimits, usualLimits } from "./time-limits.js";

const noAddress =
  "this is no address. Give postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters of the password as in a URL: # as %23.";

const RETRY_EVERY_MS = 100;
const RETRY_FOR_AT_MOST_MS = 15_000;

/**
 * Opens a Postgres database over a pool of connections. Makes the tables if they do not exist. They are made once, even
 * if several processes begin together. Their names begin with `glassloop_`, and they are in the first schema of the
 * connection's search path.
 *
 * @param url `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with the options that the `pg` package knows.
 * @throws ThreadsDatabaseError if the database cannot be reached or used.
 */
export async function openPostgres(url: string, limits = usualLimits): Promise<Database> {
  keepSecretsOfAddress(url);
  if (!URL.canParse(url)) throw new ThreadsDatabaseError("postgres:", noAddress);
  const database = new PostgresDatabase(url, limits);
  try {
    await database.prepare();
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

class PostgresDatabase implements Database {
  readonly hasManyWriters = true;
  readonly #pool: PostgresPool;
  readonly #place: string;
  readonly #groups = new GroupCommit((statements) => this.#commit(statements), wasUndone);
  /** The names of the queries that were asked. There are few texts. */
  readonly #names = new Map<string, string>();
  #presence: PostgresPresence | undefined;
  #closed: Promise<void> | undefined;

  constructor(
    url: string,
    private readonly limits: TimeLimits,
  ) {
    this.#place = placeOf(url);
    this.#pool = new PostgresPool({ connectionString: url, application_name: "glassloop", types }, limits);
  }

  get presence(): PostgresPresence | undefined {
    return this.#presence;
  }

  /** Makes the tables if they do not exist, and brings older tables to this version's layout. */
  async prepare(): Promise<void> {
    const missing = await this.#run((client) => this.#missing(client));
    if (missing.length > 0) await this.#runAlone((client) => this.#makeTables(client));
    this.#presence = new PostgresPresence(this.#pool, await this.#tryToRun(() => isPooled(this.#pool)));
  }

  /** Returns the statements that the tables still need. */
  async #missing(client: PostgresClient): Promise<string[]> {
    const known = await client.query<{ known: boolean }>("select to_regclass('glassloop_meta') is not null as known");
    if (known.rows[0]?.known !== true) return tables(dialect);
    const version = await client.query<Row>(schemaVersionQuery);
    return migration(this.#place, version.rows[0] && textOf(version.rows[0], "value"), dialect);
  }

  /** Makes the tables. If another process does the same, the second one waits and then finds nothing left to do. */
  async #makeTables(client: PostgresClient): Promise<void> {
    await client.query("begin");
    try {
      await client.query(onlyOne);
      for (const sql of await this.#missing(client)) await client.query(sql);
      await client.query("commit");
    } catch (error) {
      await client.query("rollback").catch(() => undefined);
      throw error;
    }
  }

  async batch(statements: readonly Statement[], { grouped = false } = {}): Promise<void> {
    if (statements.length === 0) return;
    await (grouped ? this.#groups.commit(statements) : this.#commit(statements));
  }

  async #commit(statements: readonly Statement[]): Promise<void> {
    await this.#run(
      (client) =>
        client.query(new PostgresBatch(statements, this.#ownsSession(client) ? client.statements : undefined)).done,
    );
  }

  /** Tells whether a connection has a session of its own on the server, which remembers statements by name. */
  #ownsSession(client: PostgresClient): boolean {
    return client.isDirect && this.#presence?.isPooled === false;
  }

  change(sql: string, parameters: readonly Cell[] = []): Promise<Row[]> {
    return this.all(sql, parameters);
  }

  async all(sql: string, parameters: readonly Cell[] = []): Promise<Row[]> {
    const query = { text: sql, values: [...parameters] };
    const named = { ...query, name: this.#nameOf(sql) };
    const { rows } = await this.#run((client) => client.query<Row>(this.#ownsSession(client) ? named : query));
    return rows;
  }

  /** Returns the name of a query. The server reads and plans it once for each connection. That costs more than to run it. */
  #nameOf(sql: string): string {
    const name = this.#names.get(sql) ?? `glassloop_query_${this.#names.size + 1}`;
    this.#names.set(sql, name);
    return name;
  }

  snapshot(queries: readonly Statement[]): Promise<Row[][]> {
    return this.#run(async (client) => {
      await client.query("begin isolation level repeatable read read only");
      try {
        const results: Row[][] = [];
        for (const { sql, parameters } of queries) results.push((await client.query<Row>(sql, [...parameters])).rows);
        return results;
      } finally {
        // A connection that broke cannot be told. The error of the query says more.
        await client.query("rollback").catch(() => undefined);
      }
    });
  }

  async vacuum(): Promise<void> {
    for (const table of ["glassloop_threads", ...threadTables]) {
      await this.#runAlone((client) => client.query(`vacuum full ${table}`));
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#pool.close();
    return this.#closed;
  }

  /** Runs an action on a connection. Tries again for a while if the server refuses it without having done it. */
  #run<T>(action: (client: PostgresClient) => Promise<T>): Promise<T> {
    return this.#tryToRun(() => this.#pool.use(action));
  }

  /** Runs an action that may take the server long, on a connection of its own. */
  #runAlone<T>(action: (client: PostgresClient) => Promise<T>): Promise<T> {
    return this.#tryToRun(async () => {
      const client = await this.#pool.open({ ...this.limits, queryTimeoutMs: ANY_TIME_MS });
      return client.whileAnswering(() => action(client)).finally(() => client.leave());
    });
  }

  async #tryToRun<T>(action: () => Promise<T>): Promise<T> {
    let giveUpAt: number | undefined;
    for (;;) {
      if (this.#closed) throw new ThreadsDatabaseError(this.#place, "it was closed. Open the threads again.");
      try {
        return await action();
      } catch (error) {
        // A server that answered before is expected back. A server that never answered means a wrong address.
        const waits = isRefusedForNow(error) || (this.#presence !== undefined && isUnreachable(error));
        giveUpAt ??= performance.now() + RETRY_FOR_AT_MOST_MS;
        if (!waits || performance.now() > giveUpAt) throw explainPostgres(this.#place, error);
      }
      await sleep(RETRY_EVERY_MS);
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
