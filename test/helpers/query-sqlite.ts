import { SqliteConnection, type SqliteRow } from "../../src/sqlite/sqlite-connection.js";

/**
 * Reads or changes an SQLite file over a connection of its own, with the driver of the product: two copies of SQLite in one
 * process would drop each other's locks.
 *
 * @returns The rows of the last statement.
 */
export async function querySqlite(file: string, ...statements: readonly string[]): Promise<SqliteRow[]> {
  const connection = await SqliteConnection.open(file);
  try {
    let rows: SqliteRow[] = [];
    for (const sql of statements) [rows = []] = await connection.read([{ sql, parameters: [] }]);
    return rows;
  } finally {
    await connection.close();
  }
}
