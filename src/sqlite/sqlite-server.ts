import { statSync } from "node:fs";
import { createRequire } from "node:module";
import type { DatabaseSyncInstance, SqliteModule, StatementSyncInstance } from "@photostructure/sqlite";

/** The content of a cell. Bytes are a blob. */
export type Cell = string | number | Uint8Array | null;

/** An SQL statement. It names its parameters `?1`, `?2` and so on. */
export interface SqliteStatement {
  readonly sql: string;
  readonly parameters: readonly Cell[];
}

/** The rows that a statement returned, and the names of their columns. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** A failure, in a form that can be sent from one thread to another. */
export interface Failure {
  readonly message: string;
  /** SQLite's name of the error, or `MOVED` if the files are no longer those that were opened. */
  readonly code: string;
}

export type Outcome<T> = { readonly result: T } | { readonly failure: Failure };

/** The options of a connection. */
export interface SqliteOptions {
  readonly place: string;
  /** The time to wait for the lock of another connection, in milliseconds. */
  readonly busyMs: number;
  /** The path of an extension of SQLite to load, if there is one. */
  readonly extension?: string | undefined;
}

/** Makes the statements of a transaction, such as the rows of a document out of its text. */
export interface StatementMaker {
  statements(input: unknown): readonly SqliteStatement[];
}

interface PreparedStatement {
  readonly statement: StatementSyncInstance;
  readonly columns: readonly string[];
}

/** Loads the driver of SQLite. It is native code: no bundle can hold it. */
function loadDriver(): SqliteModule {
  return createRequire(import.meta.url)("@photostructure/sqlite");
}

/** A connection to a database, as it runs in its worker thread. */
export class SqliteServer {
  private readonly database: DatabaseSyncInstance;
  /** The statements that were run last. Few texts come again and again; a search has one for each number of words. */
  private readonly prepared = new Map<string, PreparedStatement>();
  private readonly mostPrepared = 500;
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
  open(): Outcome<void> {
    return this.attempt(() => {
      this.database.open();
      if (this.options.extension === undefined) return;
      this.database.enableLoadExtension(true);
      this.database.loadExtension(this.options.extension);
      this.database.enableLoadExtension(false);
    });
  }

  /** Runs queries, all on one state of the database. */
  read(queries: readonly SqliteStatement[]): Outcome<Table[]> {
    return this.attempt(() => {
      if (queries.length === 1) return queries.map((query) => this.run(query));
      this.database.exec("begin");
      try {
        return queries.map((query) => this.run(query));
      } finally {
        this.database.exec("rollback");
      }
    });
  }

  /**
   * Runs transactions that share one fsync. A failing transaction loses only its own rows.
   *
   * @param synced Whether to wait until the disk has them.
   * @returns For each one the rows of each statement.
   */
  commit(transactions: readonly (readonly SqliteStatement[])[], synced: boolean): Outcome<Table[]>[] {
    const committed = this.attempt(() => {
      this.checkFiles();
      if (synced !== this.isSynced) this.database.exec(`pragma synchronous = ${synced ? "full" : "normal"}`);
      this.isSynced = synced;
      this.database.exec("begin immediate");
      try {
        const outcomes = transactions.map((statements) => this.runApart(statements));
        this.database.exec("commit");
        this.checkFiles();
        return outcomes;
      } catch (error) {
        if (this.database.isTransaction) this.database.exec("rollback");
        throw error;
      }
    });
    return "result" in committed ? committed.result : transactions.map(() => committed);
  }

  /** Commits the statements that are made of an input. They never leave this thread. */
  commitMade(input: unknown): Outcome<Table[]>[] {
    const made = this.attempt(() => this.maker.statements(input));
    return "failure" in made ? [made] : this.commit([made.result], false);
  }

  /** Runs a statement outside of any transaction. */
  execute(sql: string): Outcome<void> {
    return this.attempt(() => this.database.exec(sql));
  }

  /** Remembers which files these are. From now on a commit fails if others are in their place. */
  watchFiles(): void {
    this.opened = this.filesNow();
  }

  /** Copies the -wal file into the database if no other connection prevents it, and closes the connection. */
  close(): void {
    if (!this.database.isOpen) return;
    if (!this.moved) this.attempt(() => this.database.exec("pragma wal_checkpoint(truncate)"));
    this.database.close();
  }

  /** Undoes a transaction that fails, but not the others. An error that ended all of them is thrown. */
  private runApart(statements: readonly SqliteStatement[]): Outcome<Table[]> {
    this.database.exec("savepoint apart");
    const outcome = this.attempt(() => statements.map((statement) => this.run(statement)));
    if ("failure" in outcome) {
      if (!this.database.isTransaction) throw Object.assign(new Error(outcome.failure.message), outcome.failure);
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
    const statement = this.database.prepare(sql);
    statement.setReturnArrays(true);
    const prepared = { statement, columns: statement.columns().map(({ name }) => name) };
    const [oldest] = this.prepared.keys();
    if (this.prepared.size >= this.mostPrepared && oldest !== undefined) this.prepared.delete(oldest);
    this.prepared.set(sql, prepared);
    return prepared;
  }

  private checkFiles(): void {
    this.moved ||= this.opened !== undefined && this.filesNow() !== this.opened;
    if (this.moved) throw Object.assign(new Error("The files were deleted or replaced."), { code: "MOVED" });
  }

  /** The identities of the database and of the files beside it. */
  private filesNow(): string {
    const identities = ["", "-wal", "-shm"].map((ending) => {
      const found = statSync(`${this.options.place}${ending}`, { bigint: true, throwIfNoEntry: false });
      return `${found?.dev}:${found?.ino}`;
    });
    return identities.join(" ");
  }

  private attempt<T>(action: () => T): Outcome<T> {
    try {
      return { result: action() };
    } catch (error) {
      const { message, sqliteCodeName, code } = error as { message: string; sqliteCodeName?: string; code: string };
      return { failure: { message, code: sqliteCodeName ?? code } };
    }
  }
}
