import type { Connection, Submittable } from "pg";
import type { Cell, Statement } from "./database.js";

/**
 * A list of statements that is sent to Postgres in one message. Postgres answers once, after the last statement. All
 * statements are one transaction, which ends at the Sync of the extended protocol. Statements sent one by one would
 * each cost a round trip.
 */
export class PostgresBatch implements Submittable {
  readonly done: Promise<void>;
  #resolve!: () => void;
  #reject!: (error: Error) => void;

  constructor(private readonly statements: readonly Statement[]) {
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(connection: Connection): void {
    connection.stream.cork();
    for (const { sql, parameters } of this.statements) {
      connection.parse({ name: "", text: sql, types: [] }, true);
      connection.bind({ values: parameters.map(toText) }, true);
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

/** Writes a parameter as text. Postgres finds out its type from the statement. */
function toText(cell: Cell): string | null {
  return cell === null ? null : String(cell);
}
