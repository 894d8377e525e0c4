import pg from "pg";
import type { PostgresClient } from "../../postgres/postgres-pool.js";
import type { Cell, Row, Statement } from "./database.js";

/**
 * Sends statements in one message, and returns the rows of each. Sent one by one, each would cost a round trip. After one that
 * fails the server runs no other one. So if it cannot begin a transaction, nothing runs outside of one.
 *
 * @param hasSession Whether each connection has a session of its own on the server, which remembers statements by name: it
 *   reads and plans one when it first comes over a connection. A connection on which one failed must not be used again.
 */
export function inOneMessage(
  client: PostgresClient,
  statements: readonly Statement[],
  hasSession: boolean,
): Promise<Row[][]> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query<Row>("", (error, results) => {
      if (error) reject(error);
      else resolve([results].flat().map(({ rows }) => rows));
    });
    query.submit = (connection) => submit(connection, statements, hasSession);
    client.query(query);
  });
}

function submit(connection: pg.Connection, statements: readonly Statement[], hasSession: boolean): void {
  const known = hasSession ? namesOn(connection) : undefined;
  connection.stream.cork();
  for (const { sql, parameters } of statements) {
    const statement = known?.get(sql) ?? send(connection, sql, known);
    connection.bind({ statement, values: parameters.map(toText) }, true);
    connection.describe({ type: "P" }, true);
    connection.execute(null, true);
  }
  connection.sync();
  connection.stream.uncork();
}

const names = new WeakMap<pg.Connection, Map<string, string>>();

/** Returns the statements that the server knows on a connection, with their names. */
function namesOn(connection: pg.Connection): Map<string, string> {
  const known = names.get(connection) ?? new Map<string, string>();
  names.set(connection, known);
  return known;
}

/** Sends a statement, and returns its name, or "" if the server keeps no prepared statement. */
function send(connection: pg.Connection, sql: string, known?: Map<string, string>): string {
  const name = known ? `glassloop_${known.size + 1}` : "";
  known?.set(sql, name);
  connection.parse({ name, text: sql, types: [] }, true);
  return name;
}

/** Writes a parameter as text. Postgres finds out its type from the statement. */
function toText(cell: Cell): string | null {
  return cell === null ? null : String(cell);
}
