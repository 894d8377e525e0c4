import { shorten } from "../base/shorten.js";
import type { SqliteConnection, SqliteRow } from "./sqlite-connection.js";

/** The query for the tables, indexes, views and triggers of a file, for {@link refuseStrangers}. */
export const objectsQuery = "select name, sql from sqlite_schema";

/** Reads what a SQLite file says of itself: the two numbers of its header, and its objects. @throws SqliteError */
export async function readHeader(connection: SqliteConnection) {
  // A table or view can have the name of any other source of rows, such as pragma_application_id.
  const queries = ["pragma application_id", "pragma user_version", objectsQuery];
  const read = await connection.read(queries.map((sql) => ({ sql, parameters: [] })));
  const [[application] = [], [version] = [], objects = []] = read;
  return { application: application?.application_id, version: version?.user_version, objects };
}

/**
 * Compares the objects of a SQLite file with the layout, before anything in it is used. A file may come from somebody
 * else. Its triggers would run with our statements, and its views, checks and computed columns with our queries.
 *
 * @param layout The statements that make the objects, and those of the tables that SQLite makes for them.
 * @param toError Makes the error to throw from the name of an object that the layout does not make.
 */
export function refuseStrangers(
  objects: readonly SqliteRow[],
  layout: readonly string[],
  toError: (name: string) => Error,
): void {
  const known = new Set([...layout, ...ofSqlite].map(asCompared));
  // The indexes of keys have no statement.
  const stranger = objects.find(({ sql }) => sql !== null && !known.has(asCompared(String(sql))));
  if (stranger) throw toError(shorten(String(stranger.name), 100));
}

/** The tables that SQLite makes by itself: for keys that count up, and for `analyze`. */
const ofSqlite = [
  "create table sqlite_sequence(name,seq)",
  "create table sqlite_stat1(tbl,idx,stat)",
  "create table sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
];

/** SQLite keeps a statement as it is written, but not what stands before the name. */
function asCompared(sql: string): string {
  return sql
    .replace(/ if not exists/i, "")
    .replaceAll(/\s+/g, " ")
    .toLowerCase();
}
