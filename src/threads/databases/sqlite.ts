import { stat } from "node:fs/promises";
import { GlassloopError, ThreadsDatabaseError } from "../../base/errors.js";
import { InOrder } from "../../base/in-order.js";
import { prepared } from "../../base/prepared.js";
import { SqliteConnection } from "../../sqlite/sqlite-connection.js";
import { explainSqlite, isDamaged } from "../../sqlite/sqlite-error.js";
import { objectsQuery, readHeader, refuseStrangers } from "../../sqlite/sqlite-header.js";
import { type Cell, type Database, numberOf, type Row, type Statement } from "./database.js";
import { type Dialect, Schema, schemaVersions, versionQuery } from "./schema.js";

/**
 * Opens a SQLite database in WAL mode, for several processes at once. Each commit waits for the disk, and so survives
 * the end of the process and a loss of power.
 *
 * @param place The path of a file, or ":memory:".
 * @throws ThreadsDatabaseError if the file cannot be used. Nothing in it is changed in that case.
 */
export async function openSqlite(place: string, versions = schemaVersions): Promise<Database> {
  const connection = await explained(place, SqliteConnection.open(place));
  return prepared(new SqliteDatabase(place, connection, new Schema(dialect, versions)), (database) =>
    database.prepare(),
  );
}

/** The application id in the header of a SQLite file of Glassloop: "GLSP". */
const APPLICATION_ID = 0x47_4c_53_50;

class SqliteDatabase implements Database {
  readonly size = "(select page_count * page_size from pragma_page_count, pragma_page_size)";
  /** Only one transaction can write at a time. Each has a connection of its own. */
  readonly #transactions = new InOrder();
  /**
   * A second connection for long transactions, as the first one stays in use meanwhile. Opened by the first such transaction.
   */
  #apart: SqliteConnection | undefined;

  constructor(
    readonly place: string,
    private readonly connection: SqliteConnection,
    private readonly schema: Schema,
  ) {}

  /** Makes the tables, or brings them to the newest version. Nothing in a file that is refused is changed. */
  async prepare(): Promise<void> {
    const version = await explained(this.place, this.#readVersion());
    // A file can give back the room of deleted rows if it says so before it has any table.
    if (version === 0) await this.#explained(this.connection.execute("pragma auto_vacuum = incremental"));
    else await this.#checkLength();
    // The -wal file is copied into the database every 2 MB, and is cut to that size. SQLite's own default is twice
    // that, which saves little more time.
    await this.#explained(
      this.connection.execute(
        "pragma journal_mode = wal; pragma wal_autocheckpoint = 512; pragma journal_size_limit = 2097152",
      ),
    );
    await explained(this.place, this.#migrate(version));
    if (this.place !== ":memory:") await this.connection.watchFiles();
  }

  /**
   * Reads the version of the tables; 0 if there are none. Tables of a newer Glassloop are not foreign tables. So the version
   * is read before the tables are compared, and only the table with the version must exist.
   */
  async #readVersion(): Promise<number> {
    const { application, objects } = await readHeader(this.connection);
    if (objects.length === 0) return 0;
    if (application !== APPLICATION_ID) throw foreign(this.place);
    const toError = (name: string) => new ThreadsDatabaseError(this.place, changed(name));
    const meta = objects.filter(({ name }) => name === "glassloop_meta");
    refuseStrangers(meta, this.schema.changes(0), toError);
    // Another process may have changed the tables since.
    const [rows = [], now = []] = await this.connection.read([versionQuery, objectsQuery].map(toStatement));
    const version = this.schema.versionIn(this.place, rows);
    refuseStrangers(now, await layoutOf(this.schema.changes(0, version)), toError);
    return version;
  }

  /** Changes the tables. If another process does the same, the second one fails and then finds nothing left to do. */
  async #migrate(version: number): Promise<void> {
    if (this.schema.isNewest(version)) return;
    const statements = [...this.schema.changes(version), `pragma application_id = ${APPLICATION_ID}`];
    try {
      await this.connection.write(statements.map(toStatement));
    } catch (error) {
      const now = await this.#readVersion();
      if (now === version) throw error;
      await this.#migrate(now);
    }
  }

  async checkVersion(): Promise<void> {
    const [rows = []] = await this.connection.read([toStatement(versionQuery)]);
    this.schema.versionIn(this.place, rows);
  }

  async batch(statements: readonly Statement[], options?: { readonly synced: boolean }): Promise<void> {
    await this.#explained(this.connection.write([this.schema.fence, ...statements.map(toSqlite)], options));
  }

  async change(sql: string, parameters: readonly Cell[] = [], { always = false } = {}): Promise<Row[]> {
    const statements = [...(always ? [] : [this.schema.fence]), toSqlite({ sql, parameters })];
    return this.#explained(this.connection.write(statements, { synced: false }));
  }

  async all(sql: string, parameters: readonly Cell[] = []): Promise<Row[]> {
    const [rows = []] = await this.snapshot([{ sql, parameters }]);
    return rows;
  }

  snapshot(queries: readonly Statement[]): Promise<Row[][]> {
    return this.#explained(this.connection.read(queries.map(toSqlite)));
  }

  transact(statements: () => AsyncIterable<Statement>): Promise<void> {
    return this.#transactions.run(() => this.#transact(statements));
  }

  async #transact(statements: () => AsyncIterable<Statement>): Promise<void> {
    if (this.place === ":memory:") return this.batch(await collect(statements()));
    await this.#checkFiles();
    this.#apart ??= await this.#explained(SqliteConnection.open(this.place));
    const connection = this.#apart;
    try {
      await this.#explained(connection.execute("begin immediate"));
      await this.#explained(connection.read([this.schema.fence]));
      for await (const statement of statements()) await this.#explained(connection.read([toSqlite(statement)]));
      await this.#explained(connection.execute("commit"));
      await this.#checkFiles();
    } catch (error) {
      // A connection that closes undoes what it has not committed.
      this.#apart = undefined;
      await connection.close();
      throw error;
    }
  }

  /** A commit of nothing fails if the files were deleted or replaced. Another connection would not notice that. */
  async #checkFiles(): Promise<void> {
    await this.#explained(this.connection.write([]));
  }

  async shrink(): Promise<void> {
    try {
      const [row] = await this.all("select freelist_count as pages from pragma_freelist_count");
      for (let left = row ? numberOf(row, "pages") : 0; left > 0; left -= STEP) {
        await this.connection.execute(`pragma incremental_vacuum(${STEP})`);
      }
      // The file becomes smaller when the -wal file is copied into it.
      await this.connection.execute("pragma wal_checkpoint(passive)");
    } catch {
      // The rows are deleted in any case.
    }
  }

  async close(): Promise<void> {
    await this.#apart?.close();
    await this.connection.close();
  }

  /** SQLite reads a truncated page as if zeros followed, and only notices when whole pages are missing. */
  async #checkLength(): Promise<void> {
    const length = (path: string) =>
      stat(path).then(
        ({ size }) => size,
        () => 0,
      );
    const [row] = await this.all(`select ${this.size} as whole`);
    // The pages of a file that is being written are whole in its -wal file.
    if (row === undefined || (await length(`${this.place}-wal`)) > 0) return;
    if ((await length(this.place)) < numberOf(row, "whole")) throw new ThreadsDatabaseError(this.place, damaged);
  }

  /** An error that SQLite does not explain may come from tables of a newer version. */
  #explained<T>(promise: Promise<T>): Promise<T> {
    return explained(this.place, promise).catch(async (error: unknown) => {
      if (!(error instanceof GlassloopError)) await this.checkVersion();
      throw error;
    });
  }
}

/** The pages that are given back at once: 1 MB, in about 4 ms. Fewer than go into the -wal file before it is copied. */
const STEP = 256;

const dialect: Dialect = { text: "text", sequence: "integer primary key autoincrement", smallRows: " without rowid" };

/** Returns the schema as SQLite stores it: the text of each `create` statement. `alter table` changes this text, too. */
async function layoutOf(statements: readonly string[]): Promise<string[]> {
  const empty = await SqliteConnection.open(":memory:");
  await empty.write(statements.map(toStatement));
  const [objects = []] = await empty.read([toStatement(objectsQuery)]);
  await empty.close();
  return objects.map(({ sql }) => String(sql));
}

function toStatement(sql: string): Statement {
  return { sql, parameters: [] };
}

async function collect(statements: AsyncIterable<Statement>): Promise<Statement[]> {
  const all: Statement[] = [];
  for await (const statement of statements) all.push(statement);
  return all;
}

/** Statements in the words of SQLite. The same ones come again and again. */
const translations = new Map<string, string>();
const MOST_TRANSLATIONS = 500;

function toSqlite({ sql, parameters }: Statement): Statement {
  return { sql: translations.get(sql) ?? translate(sql), parameters };
}

function translate(sql: string): string {
  const translated = sql.replaceAll("$", "?").replaceAll("json_array_elements", "json_each");
  if (translations.size === MOST_TRANSLATIONS) translations.clear();
  translations.set(sql, translated);
  return translated;
}

function foreign(place: string): ThreadsDatabaseError {
  return new ThreadsDatabaseError(
    place,
    "this SQLite file belongs to another program; it was left as it is. Give the path of another file.",
  );
}

async function explained<T>(place: string, promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    const reason = isDamaged(error) ? damaged : explainSqlite(error);
    throw reason === undefined ? error : new ThreadsDatabaseError(place, reason, { cause: error });
  }
}

const damaged =
  "this database is cut off or damaged; it was left as it is. Restore it from a backup, or give the path of another file.";

const changed = (stranger: string) =>
  `this version of Glassloop did not make "${stranger}" in it, which could do harm; it was left as it is. ` +
  "Open it with the version that made it, or give the path of another file.";
