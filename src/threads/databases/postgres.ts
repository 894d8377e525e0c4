import { ThreadsDatabaseError } from "../../base/errors.js";
import { InOrder } from "../../base/in-order.js";
import { prepared } from "../../base/prepared.js";
import { PostgresBatch } from "../../postgres/postgres-batch.js";
import { limitReached, wasUndone } from "../../postgres/postgres-error.js";
import type { PostgresClient } from "../../postgres/postgres-pool.js";
import { inTransaction, type PostgresFailure, PostgresServer } from "../../postgres/postgres-server.js";
import { usualLimits } from "../../postgres/time-limits.js";
import type { Cell, Database, Row, Statement } from "./database.js";
import { GroupCommit } from "./group-commit.js";
import { PostgresPresence } from "./postgres-presence.js";
import { PostgresSignals } from "./postgres-signals.js";
import { type Dialect, Schema, schemaVersions, threadTables, versionQuery } from "./schema.js";

/**
 * Opens a Postgres database over a pool of connections. Makes the tables, or migrates them to the newest version, once, even
 * if several processes start together. The names of the tables begin with `glassloop_`, and they are in the first schema of
 * the connection's search path.
 *
 * @param url `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with the options that the `pg` package knows.
 * @throws ThreadsDatabaseError if the database cannot be reached or used.
 */
export async function openPostgres(url: string, limits = usualLimits, versions = schemaVersions): Promise<Database> {
  const server = new PostgresServer(url, limits, failure);
  return prepared(new PostgresDatabase(server, new Schema(dialect, versions)), (database) => database.prepare());
}

class PostgresDatabase implements Database {
  readonly hasManyWriters = true;
  readonly size = size;
  readonly #groups = new GroupCommit((statements) => this.#commit(statements), wasUndone);
  /** The names of the prepared queries. There are few texts. */
  readonly #names = new Map<string, string>();
  /** A transaction waits for what is read for it. Many at once would leave no connection to read on. */
  readonly #transactions = new InOrder();
  readonly #signals: PostgresSignals;
  #presence: PostgresPresence | undefined;

  constructor(
    private readonly server: PostgresServer,
    private readonly schema: Schema,
  ) {
    this.#signals = new PostgresSignals(server);
  }

  get place(): string {
    return this.server.place;
  }

  get presence(): PostgresPresence | undefined {
    return this.#presence;
  }

  get signals(): PostgresSignals | undefined {
    return this.#hasSessions ? this.#signals : undefined;
  }

  /** Makes the tables, or brings them to the newest version. */
  async prepare(): Promise<void> {
    const version = await this.server.run((client) => this.#versionOn(client));
    if (!this.schema.isNewest(version)) await this.server.run((client) => this.#migrate(client));
    this.#presence = await PostgresPresence.on(this.server);
  }

  /** Reads the version of the tables; 0 if there are none. @throws ThreadsDatabaseError if the database is newer, or cannot keep every text. */
  async #versionOn(client: PostgresClient): Promise<number> {
    const [found] = (await client.query<{ known: boolean; encoding: string }>(tablesQuery)).rows;
    if (found?.encoding !== "UTF8") throw new ThreadsDatabaseError(this.place, otherEncoding(found?.encoding));
    return found.known ? this.schema.versionIn(this.place, (await client.query<Row>(versionQuery)).rows) : 0;
  }

  /** Changes the tables. If another process does the same, the second one waits and then finds nothing left to do. */
  #migrate(client: PostgresClient): Promise<void> {
    return inTransaction(client, begin.sql, async () => {
      await client.query(onlyOne);
      const version = await this.#versionOn(client);
      if (this.schema.isNewest(version)) return;
      // Waits for the transactions that have passed the fence. Transactions that reach the fence meanwhile wait for the new
      // version.
      if (version > 0) await client.query("lock table glassloop_meta in access exclusive mode");
      for (const sql of this.schema.changes(version)) await client.query(sql);
    });
  }

  async checkVersion(): Promise<void> {
    await this.server.run((client) => this.#versionOn(client));
  }

  /** Runs an action. If the server refuses it, and the tables are of a newer version by now, that is why. */
  #run<T>(action: (client: PostgresClient) => Promise<T>, isRepeatable = true): Promise<T> {
    return this.server.run(action, isRepeatable).catch(async (error: unknown) => {
      if (wasUndone(error)) await this.checkVersion();
      throw error;
    });
  }

  async batch(statements: readonly Statement[], { grouped = false } = {}): Promise<void> {
    if (statements.length === 0) return;
    await (grouped ? this.#groups.commit(statements) : this.#commit(statements));
  }

  async #commit(statements: readonly Statement[]): Promise<void> {
    const transaction = [begin, this.schema.fence, ...statements, commit];
    await this.#run((client) => client.query(new PostgresBatch(transaction, this.#hasSessions)).done);
  }

  /** Whether each connection has a session of its own on the server, which remembers statements by name. */
  get #hasSessions(): boolean {
    return this.#presence?.isPooled === false;
  }

  change(sql: string, parameters: readonly Cell[] = [], { always = false } = {}): Promise<Row[]> {
    return this.all(always ? sql : `with fence as (${this.schema.fence.sql}) ${sql}`, parameters);
  }

  async all(sql: string, parameters: readonly Cell[] = []): Promise<Row[]> {
    const query = { text: sql, values: [...parameters], ...(this.#hasSessions && { name: this.#nameOf(sql) }) };
    return (await this.#run((client) => client.query<Row>(query))).rows;
  }

  /**
   * Returns the name of a prepared query. The server parses and plans it once for each connection, which costs more than
   * running it.
   */
  #nameOf(sql: string): string {
    const name = this.#names.get(sql) ?? `glassloop_query_${this.#names.size + 1}`;
    this.#names.set(sql, name);
    return name;
  }

  snapshot(queries: readonly Statement[]): Promise<Row[][]> {
    return this.#run((client) =>
      inTransaction(client, "begin isolation level repeatable read read only", async () => {
        const results: Row[][] = [];
        for (const { sql, parameters } of queries) results.push((await client.query<Row>(sql, [...parameters])).rows);
        return results;
      }),
    );
  }

  transact(statements: () => AsyncIterable<Statement>): Promise<void> {
    return this.#transactions.run(() =>
      this.#run(
        (client) =>
          inTransaction(client, begin.sql, async () => {
            await client.query(this.schema.fence.sql);
            for await (const { sql, parameters } of statements()) await client.query(sql, [...parameters]);
          }),
        false,
      ),
    );
  }

  close(): Promise<void> {
    return this.server.close();
  }
}

/** A query of any table makes the server learn of new ones. Else it would remember those from before a wait for a lock. */
const tablesQuery = `select current_setting('server_encoding') as encoding,
  exists (select 1 from pg_class where oid = to_regclass('glassloop_meta')) as known`;

const otherEncoding = (encoding: string | undefined) =>
  `its encoding is ${encoding}, which cannot keep every text. Make another database (createdb -E UTF8 -T template0), and ` +
  "give its address.";

const size = `(select cast(sum(pg_total_relation_size(cast(name as regclass))) as double precision)
  from unnest(array['glassloop_threads', '${threadTables.join("', '")}']) name)`;

/** A reason that is a time limit tells which one it is. */
const failure: PostgresFailure = (place, reason, cause) => {
  const limit = limitReached(cause);
  return new ThreadsDatabaseError(place, limit ? `${reason} Or raise ${limit}.` : reason, { cause });
};

/** Each statement reads what others have committed before it, such as a new version, whatever is usual for the user. */
const begin: Statement = { sql: "begin isolation level read committed", parameters: [] };
const commit: Statement = { sql: "commit", parameters: [] };

const dialect: Dialect = {
  text: 'text collate "C"',
  sequence: "bigint generated always as identity primary key",
  smallRows: "",
};

/**
 * A lock for the process that makes or changes the tables. It ends with the transaction. Its number is the application's own:
 * "GLSP".
 */
const onlyOne = `select pg_advisory_xact_lock(${0x474c5350})`;
