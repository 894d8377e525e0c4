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
  /** The statements that the server gets in this batch, with their names. */
  readonly #sent = new Map<string, string>();

  /**
   * @param known The statements that the connection knows, with their names. Undefined if the connection has no session
   *   of its own on the server, and so no names.
   */
  constructor(
    private readonly statements: readonly PostgresStatement[],
    private readonly known?: Map<string, string>,
  ) {
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(connection: Connection): void {
    connection.stream.cork();
    for (const { sql, parameters } of this.statements) {
      const statement = this.known?.get(sql) ?? this.#sent.get(sql) ?? this.#send(connection, sql);
      connection.bind({ statement, values: parameters.map(toText) }, true);
      connection.execute(null, true);
    }
    connection.sync();
    connection.stream.uncork();
  }

  /** Sends a statement, and returns its name. */
  #send(connection: Connection, sql: string): string {
    const name = this.known ? `glassloop_${++names}` : "";
    if (this.known) this.#sent.set(sql, name);
    connection.parse({ name, text: sql, types: [] }, true);
    return name;
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
    // After an error it is not called. The server may not know some of the statements then.
    for (const [sql, name] of this.#sent) this.known?.set(sql, name);
    this.#resolve();
  }
}

/** The number of names that were given. */
let names = 0;

/** Writes a parameter as text. Postgres finds out its type from the statement. */
function toText(cell: PostgresCell): string | null {
  return cell === null ? null : String(cell);
}
