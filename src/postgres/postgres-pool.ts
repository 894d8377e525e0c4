import type pg from "pg";
import { PostgresClient } from "./postgres-client.js";
import { isSilent } from "./postgres-error.js";
import { SilentServerError } from "./silent-server-error.js";
import type { TimeLimits } from "./time-limits.js";

const MOST_CONNECTIONS = 10;
const IDLE_FOR_AT_MOST_MS = 10_000;
const SILENT_FOR_MS = 2_000;

/**
 * A pool of connections. Waiting for a free connection has no limit of its own, because each use of a connection ends.
 * The pool of the pg package cannot tell that wait from a server that does not answer.
 *
 * If the server does not answer, it is not asked again for a moment. So everyone who waits is told at once. Asking for
 * one after the other would take hours.
 */
export class PostgresPool {
  readonly #all = new Set<PostgresClient>();
  readonly #idle: { readonly client: PostgresClient; readonly end: NodeJS.Timeout }[] = [];
  readonly #waiting: (() => void)[] = [];
  #used = 0;
  #isClosed = false;
  #silence: { readonly error: unknown; readonly until: number } | undefined;
  #onUnused: (() => void) | undefined;

  constructor(
    private readonly config: pg.ClientConfig,
    private readonly limits: TimeLimits,
  ) {}

  /** Runs an action on a connection. */
  async use<T>(action: (client: PostgresClient) => Promise<T>): Promise<T> {
    const client = await this.#take();
    try {
      return await client.whileAnswering(() => action(client));
    } finally {
      this.#giveBack(client);
    }
  }

  /** Opens a connection beside those of the pool. It ends with the pool at the latest. */
  async open(limits = this.limits): Promise<PostgresClient> {
    if (this.#isClosed) throw new Error("Connection terminated");
    if (this.#silence && performance.now() < this.#silence.until) throw this.#silence.error;
    try {
      const client = await PostgresClient.open(this.config, limits);
      this.#all.add(client);
      client.once("end", () => this.#all.delete(client));
      return client;
    } catch (error) {
      if (isSilent(error)) this.#silence = { error, until: performance.now() + SILENT_FOR_MS };
      throw error;
    }
  }

  /** Ends all connections. Connections in use get the time of a query. */
  async close(): Promise<void> {
    this.#dropIdle();
    const giveUp = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.limits.queryTimeoutMs);
      this.#onUnused = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    if (this.#used > 0) await giveUp;
    else this.#onUnused?.();
    this.#isClosed = true;
    await Promise.all([...this.#all].map((client) => client.leave()));
  }

  async #take(): Promise<PostgresClient> {
    if (this.#used < MOST_CONNECTIONS) this.#used += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return this.#takeIdle() ?? (await this.open());
    } catch (error) {
      this.#freePlace();
      throw error;
    }
  }

  #takeIdle(): PostgresClient | undefined {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      clearTimeout(idle.end);
      if (idle.client.brokenBy !== undefined) continue;
      return idle.client;
    }
    return undefined;
  }

  #giveBack(client: PostgresClient): void {
    // The other connections go through the same network.
    if (client.brokenBy instanceof SilentServerError) this.#dropIdle();
    if (client.brokenBy !== undefined) client.destroy();
    else if (this.#onUnused === undefined) this.#keepIdle(client);
    this.#freePlace();
  }

  /** Keeps a connection for later. */
  #keepIdle(client: PostgresClient): void {
    const end = setTimeout(() => {
      this.#idle.splice(
        this.#idle.findIndex((idle) => idle.client === client),
        1,
      );
      void client.leave();
    }, IDLE_FOR_AT_MOST_MS).unref();
    this.#idle.push({ client, end });
  }

  #dropIdle(): void {
    for (const { client, end } of this.#idle.splice(0)) {
      clearTimeout(end);
      void client.leave();
    }
  }

  #freePlace(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#used -= 1;
    else next();
    if (this.#used === 0) this.#onUnused?.();
  }
}
