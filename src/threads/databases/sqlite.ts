import { setTimeout as sleep } from "node:timers/promises";
import Libsql from "libsql";
import { ThreadsDatabaseError } from "../../base/errors.js";
import { type Cell, type Database, type Row, type Statement, textOf } from "./database.js";
import { migration } from "./migrations.js";
import { type Dialect, schemaVersionQuery, tables } from "./schema.js";
import { APPLICATION_ID, prepareSqliteFile, truncated } from "./sqlite-file.js";

/**
 * The time that SQLite itself waits for a lock. It blocks the process meanwhile, so longer waits happen outside SQLite.
 */
const NATIVE_WAIT_MS = 50;
const RETRY_EVERY_MS = 20;
const BUSY_FOR_AT_MOST_MS = 15_000;

/**
 * Opens a SQLite database in WAL mode, for several processes at once. Each commit waits for the disk, and so survives
 * the end of the process and a loss of power.
 *
 * @param place The path of a file, or ":memory:".
 * @throws ThreadsDatabaseError if the file cannot be used. Nothing in it is changed in that case.
 */
export async function openSqlite(place: string): Promise<Database> {
  if (place !== ":memory:") prepareSqliteFile(place);
  const database = new SqliteDatabase(place);
  try {
    await database.prepare();
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

class SqliteDatabase implements Database {
  readonly #connection: Libsql.Database;
  readonly #statements = new Map<string, Libsql.Statement<unknown[]>>();

  constructor(private readonly place: string) {
    try {
      this.#connection = new Libsql(place, { timeout: NATIVE_WAIT_MS });
    } catch (error) {
      throw explain(place, error);
    }
  }

  /** Makes the tables if they do not exist, and brings older tables to this version's layout. */
  async prepare(): Promise<void> {
    const [known] = await this.all("select name from sqlite_master where name = 'glassloop_meta'");
    if (known === undefined) {
      const layout = tables(dialect);
      await this.#run(() => this.#transaction(() => [markAsOurs, ...layout].map((sql) => this.#connection.exec(sql))));
    }
    await this.#run(() => this.#migrate());
    await this.#run(() => this.#connection.exec("pragma journal_mode = wal"));
    await this.#run(() => this.#connection.exec("pragma synchronous = full"));
    // The -wal file is copied into the database every 2 MB, and is cut to that size. SQLite's own default is twice
    // that, which saves little more time.
    await this.#run(() =>
      this.#connection.exec("pragma wal_autocheckpoint = 512; pragma journal_size_limit = 2097152"),
    );
  }

  async batch(statements: readonly Statement[]): Promise<void> {
    await this.#run(() =>
      this.#transaction(() => {
        for (const { sql, parameters } of statements) this.#statement(sql).run(parameters);
      }),
    );
  }

  async all(sql: string, parameters: readonly Cell[] = []): Promise<Row[]> {
    return this.#run(() => this.#statement(sql).all(parameters).filter(isRow));
  }

  async vacuum(): Promise<void> {
    await this.#run(() => this.#connection.exec("vacuum"));
    // The result is in the -wal file until it is copied into the database.
    await this.#run(() => this.#connection.exec("pragma wal_checkpoint(truncate)"));
  }

  async close(): Promise<void> {
    if (!this.#connection.open) return;
    this.#statements.clear();
    tidy(this.#connection);
    this.#connection.close();
  }

  /**
   * Changes the tables of an older version. If another process does the same, the second one finds nothing left to do.
   */
  #migrate(): void {
    if (this.#migration().length === 0) return;
    this.#transaction(() => {
      for (const sql of this.#migration()) this.#connection.exec(sql);
    });
  }

  #migration(): string[] {
    const [row] = this.#statement(schemaVersionQuery).all().filter(isRow);
    return migration(this.place, row && textOf(row, "value"), dialect);
  }

  #transaction(work: () => void): void {
    this.#connection.exec("begin immediate");
    try {
      work();
      this.#connection.exec("commit");
    } catch (error) {
      if (this.#connection.inTransaction) this.#connection.exec("rollback");
      throw error;
    }
  }

  #statement(sql: string): Libsql.Statement<unknown[]> {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#connection.prepare(sql.replaceAll("$", "?"));
    this.#statements.set(sql, statement);
    return statement;
  }

  /** Runs an action. Tries again for up to 15 s while another process holds the lock. */
  async #run<T>(action: () => T): Promise<T> {
    if (!this.#connection.open) throw new ThreadsDatabaseError(this.place, "it was closed. Open the threads again.");
    const giveUpAt = Date.now() + BUSY_FOR_AT_MOST_MS;
    for (;;) {
      try {
        return action();
      } catch (error) {
        if (!isBusy(error) || Date.now() > giveUpAt) throw explain(this.place, error);
      }
      await sleep(RETRY_EVERY_MS);
    }
  }
}

/** Copies the -wal file into the database, unless another process uses it. */
function tidy(connection: Libsql.Database): void {
  try {
    connection.exec("pragma wal_checkpoint(truncate)");
  } catch {
    // The rows are safe in the -wal file. The next process that opens the database reads them from there.
  }
}

const dialect: Dialect = { text: "text", smallRows: " without rowid" };
const markAsOurs = `pragma application_id = ${APPLICATION_ID}`;

function isRow(row: unknown): row is Row {
  return typeof row === "object" && row !== null;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function isBusy(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED");
}

const reasons: readonly (readonly [code: string, reason: string])[] = [
  ["SQLITE_BUSY", "another process has kept it locked. Close that process, or try again later."],
  ["SQLITE_LOCKED", "another process has kept it locked. Close that process, or try again later."],
  ["SQLITE_FULL", "the disk is full. What was saved before is safe; make room and try again."],
  ["SQLITE_READONLY", "it cannot be written. Change the rights of the file and its folder, or give another path."],
  ["SQLITE_CANTOPEN", "it cannot be opened. Check the rights of the file and its folder, or give another path."],
  ["SQLITE_IOERR", "the disk cannot be read or written. What was saved before is safe; check the disk and try again."],
];

function explain(place: string, error: unknown): unknown {
  const code = codeOf(error);
  if (code.startsWith("SQLITE_CORRUPT") || code.startsWith("SQLITE_NOTADB")) return truncated(place, error);
  const reason = reasons.find(([prefix]) => code.startsWith(prefix))?.[1];
  return reason === undefined ? error : new ThreadsDatabaseError(place, reason, { cause: error });
}
