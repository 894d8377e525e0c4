import type { PostgresClient } from "../../postgres/postgres-pool.js";
import type { PostgresServer } from "../../postgres/postgres-server.js";
import type { DatabaseSignals } from "./database.js";

/** The time between two looks whether the connection is still the one that listens, in milliseconds. */
const KEEP_MS = 1_000;

/**
 * Signals over `NOTIFY` of Postgres, on the connection that stays open. A broken connection is opened again. A pooler hands the
 * connection on to others, so there are none behind one.
 */
export class PostgresSignals implements DatabaseSignals {
  readonly #hearers = new Set<(signal: string) => void>();
  readonly #prepared = new WeakSet<PostgresClient>();
  readonly #due = new Set<string>();
  #isSending = false;
  #keeping: NodeJS.Timeout | undefined;

  constructor(private readonly server: PostgresServer) {}

  hear(hearer: (signal: string) => void): () => void {
    this.#hearers.add(hearer);
    this.#keeping ??= setInterval(() => this.#listen(), KEEP_MS).unref();
    this.#listen();
    return () => {
      this.#hearers.delete(hearer);
      if (this.#hearers.size > 0) return;
      clearInterval(this.#keeping);
      this.#keeping = undefined;
    };
  }

  send(signal: string): void {
    this.#due.add(signal);
    if (!this.#isSending) this.#sendDue();
  }

  /** Sends what came while others were sent in one statement, as each commit of a `NOTIFY` waits for all others of the database. */
  async #sendDue(): Promise<void> {
    this.#isSending = true;
    while (this.#due.size > 0) {
      const signals = [...this.#due];
      this.#due.clear();
      await this.#use((client) => client.query(notify, [signals]));
    }
    this.#isSending = false;
  }

  #listen(): Promise<void> {
    return this.#use(async () => undefined);
  }

  /** Runs an action on a connection that listens. What fails is lost, as a signal may be. */
  #use(action: (client: PostgresClient) => Promise<unknown>): Promise<void> {
    return this.server.session
      .use(async (client) => {
        if (!this.#prepared.has(client)) await this.#prepare(client);
        await action(client);
      })
      .catch(() => undefined);
  }

  async #prepare(client: PostgresClient): Promise<void> {
    client.on("notification", ({ payload = "" }) => {
      for (const hearer of this.#hearers) hearer(payload);
    });
    // A signal that a crash loses is found in the rows. So no commit of one waits for the disk.
    await client.query("set synchronous_commit = off");
    await client.query(`listen ${CHANNEL}`);
    this.#prepared.add(client);
  }
}

const CHANNEL = "glassloop";
const notify = `select pg_notify('${CHANNEL}', signal) from unnest($1::text[]) signal`;
