import { accessSync, chmodSync, closeSync, constants, lstatSync, openSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { inGroups } from "../base/in-groups.js";
import { makeFolder } from "../base/make-folder.js";
import { codeOf } from "../base/message-of.js";
import { prepared } from "../base/prepared.js";
import { workerProgram } from "../base/worker-program.js";
import { SqliteError } from "./sqlite-error.js";
import type { Cell, SqliteOptions, SqliteStatement, Table, Transaction } from "./sqlite-server.js";
import { type Callable, resultOf, SqliteThread, serverHere } from "./sqlite-thread.js";

/** A row: its cells under the names of their columns. */
export type SqliteRow = Readonly<Record<string, Cell>>;

interface ConnectionOptions extends Pick<SqliteOptions, "extension" | "words"> {
  readonly program?: URL;
  readonly orReadOnly?: boolean;
}

/** SQLite itself waits this long for a lock. Meanwhile the connection serves nobody else, so longer waits are made of several. */
const BUSY_MS = 250;
const ATTEMPTS = 60;
/** The largest number of transactions that share a wait for the disk. */
const LONGEST_GROUP = 128;

/**
 * A connection to a SQLite database. Transactions that are due at the same time share one wait for the disk. Another
 * connection that holds the lock is waited for, 15 seconds at most.
 */
export class SqliteConnection {
  readonly #server: Callable;
  #lastWritten: Promise<unknown> | undefined;
  #closed: Promise<void> | undefined;

  /** @param isReadOnly Whether the file was opened for reading alone. */
  private constructor(
    server: Callable,
    readonly isReadOnly: boolean,
  ) {
    this.#server = server;
  }

  /**
   * Opens a database, and makes it if there is none.
   *
   * @param place The path of a file, or ":memory:".
   * @param options.program The file that serves the connection in its thread, with a `StatementMaker`. A database in memory then
   *   has a thread of its own, too.
   * @param options.extension The path of an extension of SQLite to load.
   * @param options.words What SQLite calls by another name than the statements.
   * @param options.orReadOnly Opens a file that is there, and cannot be written, for reading. It must not be changed while it is
   *   open; another file may be put in its place.
   * @throws SqliteError; what {@link prepareSqliteFile} throws.
   */
  static async open(
    place: string,
    { program, orReadOnly, ...given }: ConnectionOptions = {},
  ): Promise<SqliteConnection> {
    const isHere = place === ":memory:" && program === undefined;
    const address = place === ":memory:" ? place : prepareSqliteFile(place, orReadOnly);
    const options = { place: address, busyMs: BUSY_MS, ...given };
    const server = isHere
      ? serverHere(options)
      : new SqliteThread(options, program ?? workerProgram(new URL("./sqlite-worker.mjs", import.meta.url)));
    return prepared(new SqliteConnection(server, address !== place), () => server.call("open"));
  }

  /**
   * Runs queries, all on one state of the database. A single one is in no transaction, and may be any statement.
   *
   * @returns The rows of each. @throws SqliteError
   */
  async read(queries: readonly SqliteStatement[]): Promise<SqliteRow[][]> {
    this.#checkOpen();
    return (await whenFree(() => this.#server.call("read", queries))).map(toRows);
  }

  /**
   * Runs statements as one transaction.
   *
   * @param statements The statements, or what the maker of the thread makes them of.
   * @param options.synced Whether to wait for the disk (fsync); true by default. Rows without fsync survive the end of the
   *   process, but a power failure may undo them and all later rows.
   * @returns The rows of each statement.
   * @throws SqliteError Nothing is changed in that case.
   */
  async write(statements: Transaction, { synced = true } = {}): Promise<SqliteRow[][]> {
    this.#checkOpen();
    const written = this.#commit({ statements, synced });
    this.#lastWritten = written;
    // Many runs may get their replies at the same time. Without this, all of them would take their next step before the first
    // one is stored, and stay in step for ever.
    this.#server.takeAnswers?.();
    return (await written).map(toRows);
  }

  /** Makes every later commit fail with `MOVED` once the files are deleted or replaced. */
  async watchFiles(): Promise<void> {
    await this.#server.call("watchFiles");
  }

  /** Finishes what is under way, and closes the connection. Its files and locks are free when the promise resolves. */
  close(): Promise<void> {
    this.#closed ??= Promise.allSettled([this.#lastWritten]).then(() => this.#server.close());
    return this.#closed;
  }

  readonly #commit = inGroups<{ readonly statements: Transaction; readonly synced: boolean }, Table[]>({
    count: () => LONGEST_GROUP,
    run: async (group) => {
      const transactions = group.map(({ statements }) => statements);
      const synced = group.some((transaction) => transaction.synced);
      const outcomes = await whenFree(() => this.#server.call("commit", transactions, synced));
      return outcomes.map(async (outcome) => resultOf(outcome));
    },
  });

  #checkOpen(): void {
    if (this.#closed) throw new SqliteError("ENDED", "The connection was closed.");
  }
}

/** Tries again while another connection holds the lock. */
async function whenFree<T>(action: () => Promise<T>): Promise<T> {
  for (let left = ATTEMPTS - 1; ; left -= 1) {
    try {
      return await action();
    } catch (error) {
      if (left === 0 || !["SQLITE_BUSY", "SQLITE_LOCKED"].includes(codeOf(error))) throw error;
    }
  }
}

function toRows({ columns, rows }: Table): SqliteRow[] {
  return rows.map((cells) => Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? null])));
}

/**
 * Makes a file ready to be opened as a database. Makes its folder and the file if they do not exist. Only their owner
 * can read them. SQLite gives its -wal and -shm files the same rights.
 *
 * An existing file is never opened here: a process that closes a file loses all its locks on the file, including SQLite's.
 *
 * @returns The path, or the URL to open a file with that can only be read.
 * @throws SqliteError if this is no file. An error of the system if the file or its folder cannot be written.
 */
function prepareSqliteFile(path: string, orReadOnly = false): string {
  makeFolder(dirname(path));
  // SQLite keeps -wal and -shm files beside the file that a link leads to. It follows no links that stand in the places of
  // these files.
  const found = lstatSync(path, { throwIfNoEntry: false }) ?? makeFile(path);
  if (!found.isFile()) throw new SqliteError("NO_FILE", `this is ${kindOf(found)}`);
  // Each name would have a -wal file of its own.
  if (found.nlink > 1) throw new SqliteError("LINKED", `this file has ${found.nlink} names`);
  try {
    if (found.size === 0) chmodSync(path, 0o600);
    accessSync(path, constants.R_OK | constants.W_OK);
    // SQLite writes its -wal and -shm files beside the database.
    accessSync(dirname(path), constants.W_OK | constants.X_OK);
    return path;
  } catch (error) {
    if (!orReadOnly) throw error;
    accessSync(path, constants.R_OK);
    // Without rows in a -wal file, SQLite needs no other files, which it could not make. It looks for no change then.
    const hasRows = (lstatSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
    return `${pathToFileURL(path)}?${hasRows ? "mode=ro" : "immutable=1"}`;
  }
}

/** Makes an empty file. If another process is faster, its file is used. */
function makeFile(path: string): Stats {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600));
  } catch (error) {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) throw error;
  }
  return lstatSync(path);
}

function kindOf(found: Stats): string {
  if (found.isDirectory()) return "a folder";
  if (found.isSymbolicLink()) return "a link, not a file";
  if (found.isSocket()) return "a socket, not a file";
  if (found.isFIFO()) return "a pipe, not a file";
  return "a device, not a file";
}
