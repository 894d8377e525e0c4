import { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { ThreadsDatabaseError } from "../base/errors.js";
import type { PostgresAddress } from "./postgres-address.js";
import {
  isLost,
  isRefusedForNow,
  isSilent,
  isUnreachable,
  SilentServerError,
  toDatabaseError,
} from "./postgres-error.js";
import type { TimeLimits } from "./time-limits.js";

const KEEP_ALIVE_AFTER_MS = 10_000;
const GOODBYE_MS = 1_000;
const SILENT_FOR_MS = 2_000;
const RETRY_EVERY_MS = 100;
const RETRY_FOR_AT_MOST_MS = 15_000;

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
  #hasAnswered = false;
  #closed: Promise<void> | undefined;

  constructor(
    private readonly address: PostgresAddress,
    private readonly limits: TimeLimits,
    options: pg.PoolConfig = {},
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
    this.#pool = new pg.Pool({ ...address.config, ...options, ...keepAlive, Client, allowExitOnIdle: true });
    this.#pool.on("error", ignore);
  }

  /**
   * Runs an action on a connection. Tries again for a while if the server refuses it without having done it, or if the
   * connection is lost meanwhile. So it may run twice.
   *
   * @throws ThreadsDatabaseError, which says what is wrong and what to do; what the action itself throws.
   */
  async run<T>(action: (client: PostgresClient) => Promise<T>): Promise<T> {
    let giveUpAt: number | undefined;
    for (;;) {
      if (this.#closed) throw new ThreadsDatabaseError(this.address.place, "it was closed. Open it again.");
      try {
        return await this.use(action);
      } catch (error) {
        // A server that answered before is expected back. A server that never answered means a wrong address.
        const isBack = isUnreachable(error) || isLost(error);
        const waits = isRefusedForNow(error) || (this.#hasAnswered && isBack);
        giveUpAt ??= performance.now() + RETRY_FOR_AT_MOST_MS;
        if (!waits || performance.now() > giveUpAt) throw toDatabaseError(this.address.place, error);
      }
      await sleep(RETRY_EVERY_MS);
    }
  }

  /** Runs an action on a connection, once. A connection on which one failed is not used again. */
  use<T>(action: (client: PostgresClient) => Promise<T>): Promise<T> {
    const use = this.#use(action);
    this.#uses.add(use);
    return use.finally(() => this.#uses.delete(use));
  }

  /** Ends all connections. Those in use get some time. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const ended = sleep(this.limits.queryTimeoutMs, undefined, { ref: false });
    await Promise.race([Promise.allSettled(this.#uses), ended]);
    // The pool's own end would forget those who wait.
    this.#refusal = { error: new Error("Connection terminated"), until: Infinity };
    await Promise.all([...this.#clients].map(leave));
  }

  async #use<T>(action: (client: PostgresClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    try {
      const result = await whileAnswering(client, this.limits, () => action(client));
      client.release();
      this.#hasAnswered = true;
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
