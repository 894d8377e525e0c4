import type { Connection, Submittable } from "pg";
import type { Cell, Statement } from "./database.js";

/**
 * Statements sent to Postgres in one message: it answers once, after the last one, and all of them are one transaction
 * (the extended protocol's, which ends at its Sync). One after the other they would each cost the way there and back.
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

  // What pg calls while the answers come in.
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

/** Postgres learns the type of a parameter from where it is used. */
function toText(cell: Cell): string | null {
  return cell === null ? null : String(cell);
}
