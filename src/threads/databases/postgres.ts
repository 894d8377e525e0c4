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
import { checkVersion, type Dialect, tables, threadTables, versionQuery } from "./schema.js";

/**
 * Opens a Postgres database over a pool of connections. Makes the tables if they do not exist. They are made once, even
 * if several processes begin together. Their names begin with `glassloop_`, and they are in the first schema of the
 * connection's search path.
 *
 * @param url `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with the options that the `pg` package knows.
 * @throws ThreadsDatabaseError if the database cannot be reached or used.
 */
export async function openPostgres(url: string, limits = usualLimits): Promise<Database> {
  const server = new PostgresServer(url, limits, failure);
  return prepared(new PostgresDatabase(server), (database) => database.prepare());
}

class PostgresDatabase implements Database {
  readonly hasManyWriters = true;
  readonly size = size;
  readonly #groups = new GroupCommit((statements) => this.#commit(statements), wasUndone);
  /** The names of the queries that were asked. There are few texts. */
  readonly #names = new Map<string, string>();
  /** A transaction waits for what is read for it. Many at once would leave no connection to read on. */
  readonly #transactions = new InOrder();
  #presence: PostgresPresence | undefined;

  constructor(private readonly server: PostgresServer) {}

  get place(): string {
    return this.server.place;
  }

  get presence(): PostgresPresence | undefined {
    return this.#presence;
  }

  /** Makes the tables if they do not exist. */
  async prepare(): Promise<void> {
    const hasTables = await this.server.run((client) => this.#hasTables(client));
    if (!hasTables) await this.server.run((client) => this.#makeTables(client));
    this.#presence = await PostgresPresence.on(this.server);
  }

  /** Tells whether there are tables. @throws ThreadsDatabaseError if they are of another version, or cannot keep every text. */
  async #hasTables(client: PostgresClient): Promise<boolean> {
    const [found] = (await client.query<{ known: boolean; encoding: string }>(tablesQuery)).rows;
    if (found?.encoding !== "UTF8") throw new ThreadsDatabaseError(this.server.place, otherEncoding(found?.encoding));
    if (!found.known) return false;
    checkVersion(this.server.place, (await client.query<Row>(versionQuery)).rows);
    return true;
  }

  /** Makes the tables. If another process does the same, the second one waits and then finds nothing left to do. */
  #makeTables(client: PostgresClient): Promise<void> {
    return inTransaction(client, "begin", async () => {
      await client.query(onlyOne);
      if (await this.#hasTables(client)) return;
      for (const sql of tables(dialect)) await client.query(sql);
    });
  }

  async batch(statements: readonly Statement[], { grouped = false } = {}): Promise<void> {
    if (statements.length === 0) return;
    await (grouped ? this.#groups.commit(statements) : this.#commit(statements));
  }

  async #commit(statements: readonly Statement[]): Promise<void> {
    await this.server.run((client) => client.query(new PostgresBatch(statements, this.#hasSessions)).done);
  }

  /** Whether each connection has a session of its own on the server, which remembers statements by name. */
  get #hasSessions(): boolean {
    return this.#presence?.isPooled === false;
  }

  change(sql: string, parameters: readonly Cell[] = []): Promise<Row[]> {
    return this.all(sql, parameters);
  }

  async all(sql: string, parameters: readonly Cell[] = []): Promise<Row[]> {
    const query = { text: sql, values: [...parameters], ...(this.#hasSessions && { name: this.#nameOf(sql) }) };
    return (await this.server.run((client) => client.query<Row>(query))).rows;
  }

  /** Returns the name of a query. The server reads and plans it once for each connection. That costs more than to run it. */
  #nameOf(sql: string): string {
    const name = this.#names.get(sql) ?? `glassloop_query_${this.#names.size + 1}`;
    this.#names.set(sql, name);
    return name;
  }

  snapshot(queries: readonly Statement[]): Promise<Row[][]> {
    return this.server.run((client) =>
      inTransaction(client, "begin isolation level repeatable read read only", async () => {
        const results: Row[][] = [];
        for (const { sql, parameters } of queries) results.push((await client.query<Row>(sql, [...parameters])).rows);
        return results;
      }),
    );
  }

  transact(statements: () => AsyncIterable<Statement>): Promise<void> {
    return this.#transactions.run(() =>
      this.server.run(
        (client) =>
          inTransaction(client, "begin", async () => {
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

const tablesQuery = `select to_regclass('glassloop_meta') is not null as known,
  current_setting('server_encoding') as encoding`;

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
