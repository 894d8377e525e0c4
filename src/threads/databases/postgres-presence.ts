import { randomUUID } from "node:crypto";
import type { PostgresClient } from "../../postgres/postgres-client.js";
import type { PostgresPool } from "../../postgres/postgres-pool.js";
import type { DatabasePresence } from "./database.js";

/**
 * A sign of life that the server keeps: an advisory lock on a connection of its own. The server frees it when that
 * connection ends, even if the process or its host crashed. A broken connection is opened again.
 *
 * Behind a pooler, a connection is not the process's own. So nothing is shown there. Others then learn only from the
 * time of a guard row that its process is gone. The name tells which of the two it is.
 */
export class PostgresPresence implements DatabasePresence {
  readonly name: string;
  #session: PostgresClient | undefined;
  #uses = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly pool: PostgresPool,
    readonly isPooled: boolean,
  ) {
    this.name = `${isPooled ? "pooled" : SHOWN} ${randomUUID()}`;
  }

  show(): Promise<void> {
    return this.#inOrder(async () => {
      await this.#lock();
      this.#uses += 1;
    });
  }

  hide(): Promise<void> {
    return this.#inOrder(async () => {
      this.#uses -= 1;
      const session = this.#session;
      if (this.#uses > 0 || session === undefined) return;
      await this.#ask(session, unlock).catch(() => session.destroy());
    });
  }

  keep(): Promise<void> {
    return this.#inOrder(async () => {
      if (this.#uses === 0) return;
      const session = await this.#lock();
      // A connection that broke without a word is found out only by its use.
      if (session !== undefined) await session.whileAnswering(() => session.query("select 1"));
    });
  }

  async isGone(name: string): Promise<boolean> {
    if (!name.startsWith(`${SHOWN} `)) return false;
    return this.pool.use(async (client) => {
      const { rows } = await client.query<{ gone: boolean }>(isFree, [name]);
      return rows[0]?.gone === true;
    });
  }

  /** Takes the lock, unless this connection has it. */
  async #lock(): Promise<PostgresClient | undefined> {
    if (this.isPooled) return undefined;
    const session = this.#session?.brokenBy === undefined ? this.#session : undefined;
    if (session !== undefined && this.#uses > 0) return session;
    this.#session = session ?? (await this.pool.open());
    await this.#ask(this.#session, lock);
    return this.#session;
  }

  #ask(session: PostgresClient, sql: string): Promise<unknown> {
    return session.whileAnswering(() => session.query(sql, [this.name]));
  }

  /** Runs a step after the last one has ended: a connection takes one query at a time. */
  #inOrder(step: () => Promise<void>): Promise<void> {
    const done = this.#last.then(step);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

const SHOWN = "session";

const number = "hashtextextended($1, 1196184400)";
const lock = `select pg_advisory_lock_shared(${number})`;
const unlock = `select pg_advisory_unlock_shared(${number})`;
const isFree = `select pg_try_advisory_xact_lock(${number}) as gone`;
