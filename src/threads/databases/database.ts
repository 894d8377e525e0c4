/** What a column can hold. */
export type Cell = string | number | null;

/** A row as the database gave it. Read its columns with {@link textOf} and its kin: they check what they find. */
export type Row = Readonly<Record<string, unknown>>;

/** One SQL statement, its parameters written `$1`, `$2`, … as often as they are needed. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly Cell[];
}

/**
 * What the threads need of a database. The same SQL runs on every one. A failure is a {@link ThreadsDatabaseError} whose
 * message says what to do; a database that is merely busy is waited for first.
 */
export interface Database {
  /**
   * Runs the statements as one transaction, in order: all of them or none. They are worked out beforehand, so that they
   * can be sent in one message. Once the promise resolves they survive the end of the process and a loss of power.
   */
  batch(statements: readonly Statement[]): Promise<void>;
  /** The database's own locks, where it has such. */
  readonly locks?: DatabaseLocks;
  /** Runs a query. */
  all(sql: string, parameters?: readonly Cell[]): Promise<Row[]>;
  /** Gives the room of deleted rows back to the disk. Writers wait meanwhile. */
  vacuum(): Promise<void>;
  /** Ends every connection. Safe to call twice. */
  close(): Promise<void>;
}

/** Locks that a database frees by itself when the process that has them is gone. */
export interface DatabaseLocks {
  /** Takes a lock. Returns false when somebody has it, in this process or another one. */
  take(name: string): Promise<boolean>;
  release(name: string): Promise<void>;
  /** Takes again what was lost with a connection, where nobody else took it meanwhile. */
  keep(): Promise<void>;
}

/** The text in a column. */
export function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new TypeError(`The column ${column} holds ${typeof value}, not text.`);
  return value;
}

/** The text in a column that may be empty. */
export function optionalTextOf(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : textOf(row, column);
}

/** The number in a column. */
export function numberOf(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw new TypeError(`The column ${column} holds ${typeof value}, not a number.`);
  return value;
}

/** The number in a column that may be empty. */
export function optionalNumberOf(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : numberOf(row, column);
}
