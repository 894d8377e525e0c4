import { statSync } from "node:fs";
import { createRequire } from "node:module";
import type { DatabaseSyncInstance, SqliteModule, StatementSyncInstance } from "@photostructure/sqlite";
import { SqliteError } from "./sqlite-error.js";

/** The content of a cell. Bytes are a blob. */
export type Cell = string | number | Uint8Array | null;

/** An SQL statement. It names its parameters `?1`, `?2` and so on. */
export interface SqliteStatement {
  readonly sql: string;
  readonly parameters: readonly Cell[];
}

/** The statements of a transaction, or what they are made of in the thread of the connection. */
export type Transaction = readonly SqliteStatement[] | { readonly made: unknown };

/** Makes the statements of a transaction, such as the rows of a document out of its text. */
export interface StatementMaker {
  statements(made: unknown): readonly SqliteStatement[];
}

/** The rows that a statement returned, and the names of their columns. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** What became of a call, in a form that can be sent from one thread to another. A failure has SQLite's name of the error. */
export type Outcome<T> =
  | { readonly result: T }
  | { readonly failure: { readonly message: string; readonly code: string } };

/** The options of a connection. */
export interface SqliteOptions {
  readonly place: string;
  /** The time to wait for the lock of another connection, in milliseconds. */
  readonly busyMs: number;
  /** The path of an extension of SQLite to load, if there is one. */
  readonly extension?: string | undefined;
  /** What SQLite calls by another name than the statements, by the name in them. */
  readonly words?: Readonly<Record<string, string>> | undefined;
}

interface PreparedStatement {
  readonly statement: StatementSyncInstance;
  readonly columns: readonly string[];
}

/** The most statements that stay prepared. Few texts come again and again; a search has one for each number of words. */
const MOST_PREPARED = 500;

/** Loads the driver of SQLite. It is native code: no bundle can hold it. */
function loadDriver(): SqliteModule {
  return createRequire(import.meta.url)("@photostructure/sqlite");
}

/** A connection to a database, as it runs in its worker thread. What SQLite refuses is thrown as it says it. */
export class SqliteServer {
  private readonly database: DatabaseSyncInstance;
  /** The statements that were run last. */
  private readonly prepared = new Map<string, PreparedStatement>();
  private isSynced: boolean | undefined;
  private opened: string | undefined;
  private moved = false;

  constructor(
    private readonly options: SqliteOptions,
    private readonly maker: StatementMaker = { statements: () => [] },
    { DatabaseSync }: Pick<SqliteModule, "DatabaseSync"> = loadDriver(),
  ) {
    const allowExtension = options.extension !== undefined;
    this.database = new DatabaseSync(options.place, { timeout: options.busyMs, open: false, allowExtension });
  }

  /** Opens the database, and loads the extension. No statement can load another one. */
  open(): void {
    this.database.open();
    if (this.options.extension === undefined) return;
    this.database.enableLoadExtension(true);
    this.database.loadExtension(this.options.extension);
    this.database.enableLoadExtension(false);
  }

  /** Runs queries, all on one state of the database. A single one is in no transaction, and may be any statement. */
  read(queries: readonly SqliteStatement[]): Table[] {
    if (queries.length === 1) return queries.map((query) => this.run(query));
    this.database.exec("begin");
    try {
      return queries.map((query) => this.run(query));
    } finally {
      this.database.exec("rollback");
    }
  }

  /**
   * Runs transactions that share one fsync. A failing transaction loses only its own rows.
   *
   * @param synced Whether to wait until the disk has them.
   * @returns For each one the rows of each statement.
   */
  commit(transactions: readonly Transaction[], synced: boolean): Outcome<Table[]>[] {
    const made = transactions.map((given) => ("made" in given ? this.maker.statements(given.made) : given));
    this.checkFiles();
    if (synced !== this.isSynced) this.database.exec(`pragma synchronous = ${synced ? "full" : "normal"}`);
    this.isSynced = synced;
    this.database.exec("begin immediate");
    try {
      const outcomes = made.map((statements) => this.runApart(statements));
      this.database.exec("commit");
      this.checkFiles();
      return outcomes;
    } catch (error) {
      if (this.database.isTransaction) this.database.exec("rollback");
      throw error;
    }
  }

  /** Remembers which files these are. From now on a commit fails if others are in their place. */
  watchFiles(): void {
    this.opened = this.filesNow();
  }

  /** Copies the -wal file into the database if no other connection prevents it, and closes the connection. */
  close(): void {
    if (!this.database.isOpen) return;
    if (!this.moved) outcomeOf(() => this.database.exec("pragma wal_checkpoint(truncate)"));
    this.database.close();
  }

  /** Undoes a transaction that fails, but not the others. An error that ended all of them is thrown. */
  private runApart(statements: readonly SqliteStatement[]): Outcome<Table[]> {
    this.database.exec("savepoint apart");
    const outcome = outcomeOf(() => statements.map((statement) => this.run(statement)));
    if ("failure" in outcome) {
      if (!this.database.isTransaction) throw SqliteError.of(outcome.failure);
      this.database.exec("rollback to apart");
    }
    this.database.exec("release apart");
    return outcome;
  }

  private run({ sql, parameters }: SqliteStatement): Table {
    const { statement, columns } = this.prepared.get(sql) ?? this.prepare(sql);
    return { columns, rows: statement.all(...parameters) };
  }

  private prepare(sql: string): PreparedStatement {
    const words = Object.entries(this.options.words ?? {});
    const statement = this.database.prepare(words.reduce((text, [ours, its]) => text.replaceAll(ours, its), sql));
    statement.setReturnArrays(true);
    const prepared = { statement, columns: statement.columns().map(({ name }) => name) };
    const [oldest] = this.prepared.keys();
    if (this.prepared.size >= MOST_PREPARED && oldest !== undefined) this.prepared.delete(oldest);
    this.prepared.set(sql, prepared);
    return prepared;
  }

  private checkFiles(): void {
    this.moved ||= this.opened !== undefined && this.filesNow() !== this.opened;
    if (this.moved) throw new SqliteError("MOVED", "The files were deleted or replaced.");
  }

  /** The identities of the database and of the files beside it. */
  private filesNow(): string {
    const identities = ["", "-wal", "-shm"].map((ending) => {
      const found = statSync(`${this.options.place}${ending}`, { bigint: true, throwIfNoEntry: false });
      return `${found?.dev}:${found?.ino}`;
    });
    return identities.join(" ");
  }
}

/** Runs an action of the driver. */
export function outcomeOf<T>(action: () => T): Outcome<T> {
  try {
    return { result: action() };
  } catch (error) {
    const { message, sqliteCodeName, code } = error as { message: string; sqliteCodeName?: string; code: string };
    return { failure: { message, code: sqliteCodeName ?? code } };
  }
}
