import { statSync } from "node:fs";
import { GlassloopError, ThreadsDatabaseError } from "../../base/errors.js";
import { prepared } from "../../base/prepared.js";
import { SqliteConnection } from "../../sqlite/sqlite-connection.js";
import { explainSqlite, isDamaged } from "../../sqlite/sqlite-error.js";
import { objectsQuery, readHeader, refuseStrangers } from "../../sqlite/sqlite-header.js";
import { type Database, NOW, NOW_MS, numberOf, type Row, type Statement, statementOf } from "./database.js";
import { schemaOf, schemaVersions, versionQuery } from "./schema.js";

/**
 * Opens a SQLite database in WAL mode, for several processes at once. Each commit waits for the disk, and so survives
 * the end of the process and a loss of power.
 *
 * @param place The path of a file, or ":memory:".
 * @throws ThreadsDatabaseError if the file cannot be used. Nothing in it is changed in that case.
 */
export async function openSqlite(place: string, versions = schemaVersions): Promise<Database> {
  const schema = schemaOf(versions);
  const connection = await explained(place, SqliteConnection.open(place, { words }));
  const read = (...queries: string[]) => connection.read(queries.map(statementOf));

  /**
   * Reads the version of the tables; 0 if there are none. Tables of a newer Glassloop are not foreign tables. So the version
   * is read before the tables are compared, and only the table with the version must exist.
   */
  async function readVersion(): Promise<number> {
    const { application, objects } = await readHeader(connection);
    if (objects.length === 0) return 0;
    if (application !== APPLICATION_ID) throw new ThreadsDatabaseError(place, foreign);
    const toError = (name: string) => new ThreadsDatabaseError(place, changed(name));
    const metaTable = objects.filter(({ name }) => name === "glassloop_meta");
    refuseStrangers(metaTable, await layoutOf(schema.changes(0).slice(0, 1)), toError);
    // Another process may have changed the tables since.
    const [rows = [], now = []] = await read(versionQuery, objectsQuery);
    const version = schema.versionIn(place, rows);
    refuseStrangers(now, await layoutOf(schema.changes(0, version)), toError);
    return version;
  }

  async function checkVersion(): Promise<void> {
    const [rows = []] = await read(versionQuery);
    schema.versionIn(place, rows);
  }

  /** An error that SQLite does not explain may come from tables of a newer version. */
  const run = <T>(action: Promise<T>) =>
    explained(place, action).catch(async (error: unknown) => {
      if (!(error instanceof GlassloopError)) await checkVersion();
      throw error;
    });

  async function prepare(): Promise<void> {
    const version = await readVersion();
    // A file can give back the room of deleted rows if it says so before it has any table.
    if (version === 0) await read("pragma auto_vacuum = incremental");
    else await checkLength(place, connection);
    // The -wal file is copied into the database every 2 MB, and is cut to that size. SQLite's own default is twice
    // that, which saves little more time.
    const settings = ["journal_mode = wal", "wal_autocheckpoint = 512", "journal_size_limit = 2097152"];
    for (const setting of settings) await read(`pragma ${setting}`);
    const named = statementOf(`pragma application_id = ${APPLICATION_ID}`);
    await schema.migrate(version, (from) => connection.write([...schema.changes(from), named]), readVersion);
    // A file that was no WAL database before gets its other files now.
    await checkVersion();
    if (place !== ":memory:") await connection.watchFiles();
  }

  await prepared(connection, () => explained(place, prepare()));
  return {
    place,
    size: `(select ${bytes})`,
    async all(sql, parameters = []) {
      const [rows = []] = await run<Row[][]>(connection.read([{ sql, parameters }]));
      return rows;
    },
    async batch(statements, { synced = true, always = false, reading = false } = {}) {
      if (reading) return run(connection.read(statements));
      const before = always ? [] : [schema.fence];
      const rows = await run(connection.write([...before, ...statements], { synced }));
      return rows.slice(before.length);
    },
    checkVersion,
    async shrink() {
      try {
        const [[row] = []] = await read("select freelist_count as pages from pragma_freelist_count");
        for (let left = row ? numberOf(row, "pages") : 0; left > 0; left -= STEP) {
          await read(`pragma incremental_vacuum(${STEP})`);
        }
        // The file becomes smaller when the -wal file is copied into it.
        await read("pragma wal_checkpoint(passive)");
      } catch {
        // The rows are deleted in any case.
      }
    },
    close: () => connection.close(),
  };
}

/** The application id in the header of a SQLite file of Glassloop: "GLSP". */
const APPLICATION_ID = 0x47_4c_53_50;

/** The pages that are given back at once: 1 MB, in about 4 ms. Fewer than go into the -wal file before it is copied. */
const STEP = 256;

const bytes = "page_count * page_size from pragma_page_count, pragma_page_size";

/** The statements are in the words of Postgres. */
const words = {
  $: "?",
  'text collate "C"': "text",
  "bigint generated always as identity primary key": "integer primary key autoincrement",
  "/* without rowid */": "without rowid",
  json_array_elements: "json_each",
  [NOW]: "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')",
  [NOW_MS]: "((julianday('now') - 2440587.5) * 86400000)",
};

/** SQLite reads a truncated page as if zeros followed, and only notices when whole pages are missing. */
async function checkLength(place: string, connection: SqliteConnection): Promise<void> {
  const length = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const [[row] = []] = await connection.read([statementOf(`select ${bytes.replace(" from", " as whole from")}`)]);
  // The pages of a file that is being written are whole in its -wal file.
  if (row === undefined || length(`${place}-wal`) > 0) return;
  if (length(place) < numberOf(row, "whole")) throw new ThreadsDatabaseError(place, damaged);
}

/** Returns the schema as SQLite stores it: the text of each `create` statement. `alter table` changes this text, too. */
async function layoutOf(statements: readonly Statement[]): Promise<string[]> {
  const empty = await SqliteConnection.open(":memory:", { words });
  await empty.write(statements);
  const [objects = []] = await empty.read([statementOf(objectsQuery)]);
  await empty.close();
  return objects.map(({ sql }) => String(sql));
}

async function explained<T>(place: string, promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    const reason = isDamaged(error) ? damaged : explainSqlite(error);
    throw reason === undefined ? error : new ThreadsDatabaseError(place, reason, { cause: error });
  }
}

const foreign = "this SQLite file belongs to another program; it was left as it is. Give the path of another file.";

const damaged =
  "this database is cut off or damaged; it was left as it is. Restore it from a backup, or give the path of another file.";

const changed = (stranger: string) =>
  `this version of Glassloop did not make "${stranger}" in it, which could do harm; it was left as it is. ` +
  "Open it with the version that made it, or give the path of another file.";
