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

/** Returns a statement without parameters. */
export const statementOf = (sql: string): Statement => ({ sql, parameters: [] });

/**
 * Writes a list of rows as one parameter, so that the text of a statement is the same for any number of rows. In
 * `from json_array_elements($1) wanted`, the first cell of each row is `wanted.value ->> 0`. On SQLite, `wanted` has other
 * columns, too: `type`, `id`, `key`. So name the table of each column.
 */
export function rowsOf(rows: readonly (readonly Cell[])[]): string {
  return JSON.stringify(rows);
}

/**
 * The time by the clock of the database, as text (ISO 8601, UTC) and in milliseconds since 1970, in the words of Postgres. What
 * processes on several machines compare is by no other clock.
 */
export const NOW = `to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
export const NOW_MS = "cast(extract(epoch from clock_timestamp()) * 1000 as double precision)";

/** Reads the clock of the database, in milliseconds since 1970. */
export async function readNow(database: Database): Promise<number> {
  const [row] = await database.all(`select ${NOW_MS} as now`);
  return row === undefined ? Date.now() : numberOf(row, "now");
}

/** How {@link Database.batch} runs its statements. */
interface BatchOptions {
  /** False if a loss of power may undo the rows, but not the end of the process. SQLite need not wait for the disk then. */
  readonly synced?: boolean;
  /** True if Postgres may commit the statements together with others. Nobody else may write to their rows meanwhile. */
  readonly grouped?: boolean;
  /** True if the statements are needed for tables of a newer version, too. */
  readonly always?: boolean;
  /** True if the statements only read, all of them the same state of the database. */
  readonly reading?: boolean;
}

/**
 * A database, as the threads use it. The same SQL runs on every database. Errors are {@link ThreadsDatabaseError}, and
 * their message says what to do. If the database is busy, every method waits and tries again first.
 *
 * Each transaction that writes checks the version of the tables, and does nothing if a newer Glassloop has changed them. The
 * transaction then fails with {@link NewerDatabaseError}, and so does a query that the new tables cannot answer.
 */
export interface Database {
  /** Runs a query. */
  all(sql: string, parameters?: readonly Cell[]): Promise<Row[]>;
  /**
   * Runs the statements in order, as one transaction: all of them or none. They are known beforehand, so that they can
   * be sent in one message. The rows survive the end of the process and a loss of power once the promise resolves.
   *
   * @returns The rows of each statement.
   */
  batch(statements: readonly Statement[], options?: BatchOptions): Promise<Row[][]>;
  /** The connection that stays open, over which processes hear of each other; undefined if there is none. */
  readonly listen?: Listening;
  /** Checks that the tables are not of a newer version by now. @throws NewerDatabaseError */
  checkVersion(): Promise<void>;
  /** True if others can write during a transaction. A row that must not change until the commit must then be locked. */
  readonly hasManyWriters?: boolean;
  /** The name of the database in errors: the path of its file, or its server and its name there. */
  readonly place: string;
  /** The SQL expression for the number of bytes that all threads take on the disk. */
  readonly size: string;
  /**
   * Gives the space of deleted rows back to the disk, in steps that others can write between. Never throws: the next call
   * goes on. Undefined for a database that does so by itself, or that only its owner can make smaller.
   */
  shrink?(): Promise<void>;
  /** Ends every connection. A second call does nothing. */
  close(): Promise<void>;
}

/** What the processes that have a database open hear of each other. */
export interface Listening {
  /** The name of this opened database. The database itself knows whether it is in use. */
  readonly name: string;
  /** Shows that it is in use. Called again and again, as the sign of that may be lost with a connection. */
  keep(): Promise<unknown>;
  /** Returns those of the opened databases that are gone. One of which that cannot be known is not among them. */
  gone(names: readonly string[]): Promise<ReadonlySet<string>>;
  /** Sends a short message to all hearers, also to those of this process. It may get lost. */
  send(signal: string): void;
  /** Has a function called with each message. Returns what ends that. */
  hear(hearer: (signal: string) => void): () => void;
}

/** The message that a run has taken or left a thread. */
export const CHANGED = "changed";

/** Runs one statement that changes rows, without waiting for the disk. Returns the rows of its `returning`. */
export async function change(
  database: Database,
  sql: string,
  parameters: readonly Cell[] = [],
  options: BatchOptions = {},
): Promise<Row[]> {
  const [rows = []] = await database.batch([{ sql, parameters }], { synced: false, ...options });
  return rows;
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
