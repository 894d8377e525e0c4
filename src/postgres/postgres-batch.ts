import type { Connection, Submittable } from "pg";

/** An SQL statement. Its parameters are written `$1`, `$2`, …; each may occur several times. */
export interface PostgresStatement {
  readonly sql: string;
  readonly parameters: readonly PostgresCell[];
}

/** A parameter of a statement. */
export type PostgresCell = string | number | null;

/**
 * A list of statements that is sent to Postgres in one message. Postgres answers once, after the last statement. All
 * statements are one transaction, which ends at the Sync of the extended protocol. Statements sent one by one would
 * each cost a round trip.
 *
 * The server reads and plans a statement when it first comes over a connection. After that the batch only names it.
 */
export class PostgresBatch implements Submittable {
  readonly done: Promise<void>;
  #resolve!: () => void;
  #reject!: (error: Error) => void;

  /**
   * @param hasSession Whether the connection has a session of its own on the server, which keeps names. A connection on
   *   which a batch failed must not be used again: the server may not know all names then.
   */
  constructor(
    private readonly statements: readonly PostgresStatement[],
    private readonly hasSession: boolean,
  ) {
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(connection: Connection): void {
    const known = this.hasSession ? namesOn(connection) : undefined;
    connection.stream.cork();
    for (const { sql, parameters } of this.statements) {
      const statement = known?.get(sql) ?? send(connection, sql, known);
      connection.bind({ statement, values: parameters.map(toText) }, true);
      connection.execute(null, true);
    }
    connection.sync();
    connection.stream.uncork();
  }

  // The pg package calls these methods for each answer.
  handleParseComplete(): void {}
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCommandComplete(): void {}

  handleError(error: Error): void {
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    this.#resolve();
  }
}

const names = new WeakMap<Connection, Map<string, string>>();

/** Returns the statements that the server knows on a connection, with their names. */
function namesOn(connection: Connection): Map<string, string> {
  const known = names.get(connection) ?? new Map<string, string>();
  names.set(connection, known);
  return known;
}

/** Sends a statement, and returns its name, or "" if the server keeps no prepared statement. */
function send(connection: Connection, sql: string, known?: Map<string, string>): string {
  const name = known ? `glassloop_${known.size + 1}` : "";
  known?.set(sql, name);
  connection.parse({ name, text: sql, types: [] }, true);
  return name;
}

/** Writes a parameter as text. Postgres finds out its type from the statement. */
function toText(cell: PostgresCell): string | null {
  return cell === null ? null : String(cell);
}
