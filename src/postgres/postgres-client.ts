import { Socket } from "node:net";
import pg from "pg";
import { SilentServerError } from "./silent-server-error.js";
import type { TimeLimits } from "./time-limits.js";

/** A connection to Postgres on which no wait is without a limit. */
export class PostgresClient extends pg.Client {
  /** True if the server itself is at the other end. A pooler gives its own number for the process of the server. */
  isDirect = false;
  /** The statements that the server knows on this connection, with their names. */
  readonly statements = new Map<string, string>();
  #error: Error | undefined;

  private constructor(
    config: pg.ClientConfig,
    private readonly limits: TimeLimits,
  ) {
    super({
      ...config,
      connectionTimeoutMillis: limits.connectTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    });
    // Without a handler the error of a connection that breaks would end the process.
    this.on("error", (error) => {
      this.#error ??= error;
    });
  }

  static async open(config: pg.ClientConfig, limits: TimeLimits): Promise<PostgresClient> {
    const client = new PostgresClient(config, limits);
    try {
      await client.connect();
      client.isDirect = await client.whileAnswering(() => client.#prepare());
      return client;
    } catch (error) {
      client.destroy();
      throw error;
    }
  }

  /** The error that broke the connection; undefined if it can be used. */
  get brokenBy(): Error | undefined {
    return this.#error;
  }

  /**
   * Runs an action. Breaks the connection if the server is silent for too long meanwhile. A connection without an action
   * does not keep its process from ending.
   */
  async whileAnswering<T>(action: () => Promise<T>): Promise<T> {
    const socket = this.#socket;
    const breakUp = () => socket?.destroy(new SilentServerError(this.limits.queryTimeoutMs));
    socket?.ref().setTimeout(this.limits.queryTimeoutMs).on("timeout", breakUp);
    try {
      return await action();
    } finally {
      socket?.unref().setTimeout(0).off("timeout", breakUp);
    }
  }

  /** Ends the connection at once, without a word to the server. */
  destroy(error?: Error): void {
    this.#error ??= error ?? new Error("Connection terminated");
    this.connection.stream.destroy(error);
  }

  /** Says goodbye to the server, and ends the connection even if nobody hears that. */
  async leave(): Promise<void> {
    this.#error ??= new Error("Connection terminated");
    const giveUp = setTimeout(() => this.destroy(), GOODBYE_MS);
    await this.end().catch(() => undefined);
    clearTimeout(giveUp);
  }

  get #socket(): Socket | undefined {
    // TLS puts another socket in place of the first one.
    const { stream } = this.connection;
    return stream instanceof Socket ? stream : undefined;
  }

  /** Sets the limits that the server keeps. Tells whether the connection is a session of the server's own. */
  async #prepare(): Promise<boolean> {
    const { queryTimeoutMs, lockTimeoutMs } = this.limits;
    const process = Number(Reflect.get(this, "processID")) || 0;
    const { rows } = await this.query<{ is_direct: boolean }>(settings, [process, queryTimeoutMs, lockTimeoutMs]);
    return rows[0]?.is_direct === true;
  }
}

const KEEP_ALIVE_AFTER_MS = 10_000;
const GOODBYE_MS = 1_000;

/**
 * Settings are for the whole session. A pooler would hand them on to other clients, so they are set on direct
 * connections only. They are not part of the address, because poolers refuse addresses with them. Settings of the
 * address go first. A server without one of the settings keeps the others.
 */
const settings = `select pg_backend_pid() = $1::int as is_direct, (
  select count(set_config(wanted.name, wanted.value, false)) from (values
    ('statement_timeout', $2::text), ('idle_in_transaction_session_timeout', $2), ('lock_timeout', $3::text),
    ('tcp_keepalives_idle', '10'), ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '2'),
    ('tcp_user_timeout', '20000')
  ) as wanted (name, value) join pg_settings on pg_settings.name = wanted.name
  where pg_settings.source <> 'client' and pg_backend_pid() = $1::int)`;
