import { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { isSilent, SilentServerError } from "./postgres-error.js";
import type { TimeLimits } from "./time-limits.js";

const KEEP_ALIVE_AFTER_MS = 10_000;
const GOODBYE_MS = 1_000;
const SILENT_FOR_MS = 2_000;

/** A connection to a Postgres server. */
export type PostgresClient = pg.Client;

/**
 * A pool of connections on which no wait is without a limit. Waiting for a free connection has no limit of its own, because
 * each use of a connection ends. If that wait had a limit, the pool of the pg package could not tell a busy pool from a
 * server that does not answer. So only opening a connection has a limit.
 *
 * If the server does not answer, no connection is tried for a moment, and all waiting callers fail at once. One timeout after
 * the other would take hours.
 */
export class PostgresPool {
  readonly #pool: pg.Pool;
  readonly #clients = new Set<pg.Client>();
  readonly #uses = new Set<Promise<unknown>>();
  /** Why no connection is opened, and until when. */
  #refusal: { readonly error: unknown; readonly until: number } | undefined;

  constructor(
    config: pg.PoolConfig,
    private readonly limits: TimeLimits,
  ) {
    const open = (client: pg.Client, connect: () => Promise<unknown>) => this.#open(client, connect);
    const Client = class extends pg.Client {
      constructor(config?: pg.ClientConfig) {
        super({ ...config, connectionTimeoutMillis: limits.connectTimeoutMs });
        // An address without a password would hide it.
        if (config?.password !== undefined) Object.assign(this, { password: config.password });
      }

      /** The pool calls this with one function, which waits for the connection. */
      override async connect(...waiting: readonly ((error: unknown) => void)[]): Promise<pg.Client> {
        const error = await open(this, () => super.connect());
        for (const done of waiting) done(error);
        return this;
      }
    };
    const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS };
    this.#pool = new pg.Pool({ ...config, ...keepAlive, Client, allowExitOnIdle: true });
    this.#pool.on("error", ignore);
  }

  /** Whether there is a connection. */
  get isOpen(): boolean {
    return this.#clients.size > 0;
  }

  /** Runs an action on a connection. A connection on which one failed is not used again. */
  use<T>(action: (client: PostgresClient) => Promise<T>): Promise<T> {
    const use = this.#use(action);
    const forget = () => this.#uses.delete(use);
    this.#uses.add(use);
    use.then(forget, forget);
    return use;
  }

  /** Ends all connections. Those in use get some time. */
  async close(withinMs: number): Promise<void> {
    await Promise.race([Promise.allSettled(this.#uses), sleep(withinMs, undefined, { ref: false })]);
    // The pool's own end would forget those who wait.
    this.#refusal = { error: new Error("Connection terminated"), until: Infinity };
    await Promise.all([...this.#clients].map(leave));
  }

  async #use<T>(action: (client: PostgresClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    try {
      const result = await whileAnswering(client, this.limits, () => action(client));
      client.release();
      return result;
    } catch (error) {
      client.connection.stream.destroy();
      client.release(true);
      throw error;
    }
  }

  /** Opens a connection. Returns the error of one that cannot be opened. */
  async #open(client: pg.Client, connect: () => Promise<unknown>): Promise<unknown> {
    if (this.#refusal && performance.now() < this.#refusal.until) return this.#refusal.error;
    // Without a handler the error of a connection that breaks in use would end the process.
    client.on("error", ignore);
    try {
      await connect();
      const { queryTimeoutMs, lockTimeoutMs } = this.limits;
      const parameters = [processTold(client), queryTimeoutMs, lockTimeoutMs];
      await whileAnswering(client, this.limits, () => client.query(settings, parameters));
    } catch (error) {
      client.connection.stream.destroy();
      // Nobody waits behind the only connection of a pool of one.
      if (isSilent(error) && this.#pool.options.max > 1)
        this.#refusal = { error, until: performance.now() + SILENT_FOR_MS };
      return error;
    }
    this.#clients.add(client);
    client.once("end", () => this.#clients.delete(client));
    return undefined;
  }
}

/** The process of the server, as it is told when a connection is opened. A pooler tells a number of its own. */
export function processTold(client: PostgresClient): number {
  return Number(Reflect.get(client, "processID"));
}

/** Runs an action. Breaks the connection if the server is silent for too long meanwhile. */
async function whileAnswering<T>(
  { connection: { stream } }: pg.Client,
  { queryTimeoutMs }: TimeLimits,
  action: () => Promise<T>,
): Promise<T> {
  const socket = stream instanceof Socket ? stream : undefined;
  const breakUp = () => socket?.destroy(new SilentServerError(queryTimeoutMs));
  socket?.setTimeout(queryTimeoutMs).on("timeout", breakUp);
  try {
    return await action();
  } finally {
    socket?.setTimeout(0).off("timeout", breakUp);
  }
}

/** Says goodbye to the server, and ends the connection even if nobody hears that. */
async function leave(client: pg.Client): Promise<void> {
  const giveUp = setTimeout(() => client.connection.stream.destroy(), GOODBYE_MS);
  await client.end();
  clearTimeout(giveUp);
}

function ignore(): void {}

/**
 * Settings are for the whole session. A pooler would hand them on to other clients, so they are set on direct
 * connections only. They are not part of the address, because poolers refuse addresses with them. Settings of the
 * address go first. A server without one of the settings keeps the others.
 */
const settings = `select count(set_config(wanted.name, wanted.value, false)) from (values
    ('statement_timeout', $2::text), ('idle_in_transaction_session_timeout', $2), ('lock_timeout', $3::text),
    ('tcp_keepalives_idle', '10'), ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '2'),
    ('tcp_user_timeout', '20000')
  ) as wanted (name, value) join pg_settings on pg_settings.name = wanted.name
  where pg_settings.source <> 'client' and pg_backend_pid() = $1::int`;
