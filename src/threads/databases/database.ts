/** A value of a column. */
export type Cell = string | number | null;

/**
 * A row as the database returned it. Read its columns with {@link textOf} and the functions below it, which check the
 * type.
 */
export type Row = Readonly<Record<string, unknown>>;

/** An SQL statement. Its parameters are written `$1`, `$2`, …; each may occur several times. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly Cell[];
}

/**
 * Writes a list of rows as one parameter, so that the text of a statement is the same for any number of rows. In
 * `from json_array_elements($1) wanted`, the first cell of each row is `wanted.value ->> 0`. On SQLite, `wanted` has other
 * columns, too: `type`, `id`, `key`. So name the table of each column.
 */
export function rowsOf(rows: readonly (readonly Cell[])[]): string {
  return JSON.stringify(rows);
}

/**
 * A database, as the threads use it. The same SQL runs on every database. Errors are {@link ThreadsDatabaseError}, and
 * their message says what to do. If the database is busy, every method waits and tries again first.
 *
 * Each transaction that writes checks the version of the tables, and does nothing if a newer Glassloop has changed them. The
 * transaction then fails with {@link NewerDatabaseError}, and so does a query that the new tables cannot answer.
 */
export interface Database {
  /**
   * Runs the statements in order, as one transaction: all of them or none. They are known beforehand, so that they can
   * be sent in one message. The rows survive the end of the process and a loss of power once the promise resolves.
   *
   * @param options.synced False if a loss of power may undo the rows. SQLite need not wait for the disk then.
   * @param options.grouped True if Postgres may commit them together with others. Nobody else may write to their rows
   *   meanwhile.
   */
  batch(
    statements: readonly Statement[],
    options?: { readonly synced?: boolean; readonly grouped?: boolean },
  ): Promise<void>;
  /**
   * Runs one statement that changes rows. A loss of power may undo them, the end of the process does not. Returns the
   * rows of its `returning`.
   *
   * @param options.always True if it is needed for tables of a newer version, too.
   */
  change(sql: string, parameters?: readonly Cell[], options?: { readonly always?: boolean }): Promise<Row[]>;
  /** Checks that the tables are not of a newer version by now. @throws NewerDatabaseError */
  checkVersion(): Promise<void>;
  /** The sign of life that the database itself keeps; undefined if it has none. */
  readonly presence?: DatabasePresence;
  /** Short messages to all processes that have the database open; undefined if it has none. */
  readonly signals?: DatabaseSignals;
  /** True if others can write during a transaction. A row that must not change until the commit must then be locked. */
  readonly hasManyWriters?: boolean;
  /** The name of the database in errors: the path of its file, or its server and its name there. */
  readonly place: string;
  /** The SQL expression for the number of bytes that all threads take on the disk. */
  readonly size: string;
  /** Runs a query. */
  all(sql: string, parameters?: readonly Cell[]): Promise<Row[]>;
  /** Runs queries, all on one state of the database. Returns the rows of each. */
  snapshot(queries: readonly Statement[]): Promise<Row[][]>;
  /**
   * Runs statements as one transaction, as they come: all of them or none. They need not fit into the memory at once.
   *
   * @param statements The function that begins to make the statements. Called again if the transaction is retried.
   */
  transact(statements: () => AsyncIterable<Statement>): Promise<void>;
  /**
   * Gives the space of deleted rows back to the disk, in steps that others can write between. Never throws: the next call
   * goes on. Undefined for a database that does so by itself, or that only its owner can make smaller.
   */
  shrink?(): Promise<void>;
  /** Ends every connection. A second call does nothing. */
  close(): Promise<void>;
}

/** A sign in a database that an opened database is in use. The database removes it when the process is gone. */
export interface DatabasePresence {
  /** The name of this opened database. */
  readonly name: string;
  /** Shows that it is in use, until {@link hide} was called as often. */
  show(): Promise<void>;
  hide(): Promise<void>;
  /** Shows it again if the sign was lost with a connection. */
  keep(): Promise<void>;
  /** Returns those of the opened databases that are gone. One of which that cannot be known is not among them. */
  gone(names: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Short messages between all processes that have a database open. One may get lost. */
export interface DatabaseSignals {
  /** Sends a message to all hearers, also to those of this process. */
  send(signal: string): void;
  /** Has a function called with each message. Returns what ends that. */
  hear(hearer: (signal: string) => void): () => void;
}

/** Reads the text in a column. */
export function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new TypeError(`The column ${column} holds ${typeof value}, not text.`);
  return value;
}

/** Reads the text in a column that may be null. */
export function optionalTextOf(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : textOf(row, column);
}

/** Reads the number in a column. */
export function numberOf(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw new TypeError(`The column ${column} holds ${typeof value}, not a number.`);
  return value;
}

/** Reads the number in a column that may be null. */
export function optionalNumberOf(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : numberOf(row, column);
}
