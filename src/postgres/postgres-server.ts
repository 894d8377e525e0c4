import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { GlassloopError } from "../base/errors.js";
import { keepSecretsOfAddress } from "../base/secrets/known-secrets.js";
import {
  explainPostgres,
  isLost,
  isRefusedForNow,
  isUnreachable,
  PasswordAskedError,
  refusedItself,
} from "./postgres-error.js";
import { type PostgresClient, PostgresPool } from "./postgres-pool.js";
import type { TimeLimits } from "./time-limits.js";

const RETRY_EVERY_MS = 100;
const RETRY_FOR_AT_MOST_MS = 15_000;

/** Makes the error that says what is wrong with a database, and what to do. The cause is what the driver threw. */
export type PostgresFailure = (place: string, reason: string, cause?: unknown) => Error;

/** A database on a Postgres server, over a pool of connections. Actions are tried again while the server refuses them. */
export class PostgresServer {
  readonly pool: PostgresPool;
  /** One more connection, which stays open. The server keeps its locks as long. */
  readonly session: PostgresPool;
  /** The database as errors name it: without user and password. */
  readonly place: string;
  #hasAnswered = false;
  #closed: Promise<void> | undefined;

  /**
   * @param url `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with the options that the `pg` package knows. With
   *   `require_auth=none` no password is sent, as in libpq, and so none of PGPASSWORD and ~/.pgpass.
   * @param failure Makes the errors that all methods throw.
   * @throws the error that `failure` makes, for a text that is no address.
   */
  constructor(
    url: string,
    private readonly limits: TimeLimits,
    private readonly failure: PostgresFailure,
  ) {
    keepSecretsOfAddress(url);
    this.place = placeOf(url);
    if (!URL.canParse(url)) throw failure(this.place, noAddress);
    const isAlone = new URL(url).searchParams.get("require_auth") === "none";
    const password = isAlone ? refusePassword : undefined;
    const config = { connectionString: url, application_name: "glassloop", types, password };
    this.pool = new PostgresPool(config, limits);
    this.session = new PostgresPool({ ...config, max: 1, idleTimeoutMillis: 0 }, limits);
  }

  /**
   * Runs an action on a connection of the pool. Tries again for a while if the server refuses it without having done it, or
   * if the connection is lost meanwhile. So it may run twice.
   */
  run<T>(action: (client: PostgresClient) => Promise<T>): Promise<T> {
    return this.tryToRun(() => this.pool.use(action));
  }

  /** Runs an action on a pool, as `run` does. */
  async tryToRun<T>(action: () => Promise<T>): Promise<T> {
    let giveUpAt: number | undefined;
    for (;;) {
      if (this.#closed) throw this.failure(this.place, "it was closed. Open it again.");
      try {
        const result = await action();
        this.#hasAnswered = true;
        return result;
      } catch (error) {
        // A server that answered before is expected back. A server that never answered means a wrong address.
        const isBack = isUnreachable(error) || isLost(error);
        const waits = isRefusedForNow(error) || (this.#hasAnswered && isBack);
        giveUpAt ??= performance.now() + RETRY_FOR_AT_MOST_MS;
        if (!waits || performance.now() > giveUpAt) throw this.#explained(error);
      }
      await sleep(RETRY_EVERY_MS);
    }
  }

  /** Ends all connections. */
  close(): Promise<void> {
    const { queryTimeoutMs } = this.limits;
    this.#closed ??= Promise.all([this.pool, this.session].map((pool) => pool.close(queryTimeoutMs))).then(() => {});
    return this.#closed;
  }

  #explained(error: unknown): unknown {
    if (error instanceof GlassloopError || refusedItself(error)) return error;
    return this.failure(this.place, explainPostgres(error), error);
  }
}

function refusePassword(): never {
  throw new PasswordAskedError();
}

/** Writes the address of a database without user, password and options, as people may see it. */
function placeOf(url: string): string {
  if (!URL.canParse(url)) return "postgres:";
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}

const noAddress =
  "this is no address. Give postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters of the password as in a URL: # as %23.";

/** Postgres sends sums and counts as text, because they may exceed JavaScript's exact numbers. Ours do not. */
const types: pg.CustomTypesConfig = {
  getTypeParser(type, format) {
    if (type === pg.types.builtins.INT8 || type === pg.types.builtins.NUMERIC) return Number;
    return pg.types.getTypeParser(type, format);
  },
};
