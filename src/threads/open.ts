import { resolve } from "node:path";
import { z } from "zod";
import { InvalidOptionError, ThreadsDatabaseError } from "../base/errors.js";
import { checkedOption, checkedOptions, give } from "../base/options.js";
import { type TimeLimits, timeLimitsSchema } from "../postgres/time-limits.js";
import { ThreadCheckpointer } from "./checkpoints/checkpointer.js";
import type { Database } from "./databases/database.js";
import { type Threads, threadsOf } from "./threads.js";

export type { Threads } from "./threads.js";

const address = z.string(give('a text: "memory:", "sqlite:PATH" or "postgres://USER:PASSWORD@HOST/DATABASE"'));

/** The options of {@link openThreads}. All of them are for Postgres. Files and memory ignore them. */
export interface OpenThreadsOptions {
  /** The time to open a connection in, in milliseconds. Default: 10,000. */
  readonly connectTimeoutMs?: number;
  /** The time to wait for rows or tables that another transaction keeps, in milliseconds. Default: 10,000. */
  readonly lockTimeoutMs?: number;
  /** The time that the server may be silent during a query, in milliseconds. Default: 15,000. */
  readonly queryTimeoutMs?: number;
}

/**
 * Opens the threads of a database, and makes the database if it does not exist.
 *
 * @param url One of three forms. `"memory:"` is a database that is gone when it is closed. `"sqlite:PATH"` is a file
 *   that several processes may use at once. Only its owner can read it. Its folder is made if it does not exist.
 *   `"postgres://USER:PASSWORD@HOST/DATABASE"` is for many hosts. With `?require_auth=none` it gets no password of PGPASSWORD
 *   or ~/.pgpass.
 * @param options The time limits of Postgres. A call fails with a ThreadsDatabaseError if one of them is over.
 * @throws InvalidOptionError if the URL is no string or has another scheme, or an option is wrong;
 *   ThreadsDatabaseError if the database cannot be used, belongs to another program, or has tables or triggers that
 *   Glassloop does not make. Nothing is overwritten in that case.
 * @example
 * await using threads = await openThreads("sqlite:.glassloop/threads.db");
 * const agent = createAgent({ model, tools, checkpointer: threads.checkpointer });
 * await agent.invoke({ messages: "What is 2 + 2?" }, { configurable: { thread_id: "t1" } });
 * await threads.list(); // [{ id: "t1", title: "What is 2 + 2?", turns: 1, createdAt: …, … }]
 */
export async function openThreads(url: string, options: OpenThreadsOptions = {}): Promise<Threads> {
  const limits = checkedOptions("openThreads", timeLimitsSchema, options);
  const database = await openDatabase(checkedOption("url", address, url), limits);
  return threadsOf(database, new ThreadCheckpointer(database));
}

/**
 * Opens the database of an address. Each driver is loaded only if the URL needs it, because loading takes time.
 *
 * @throws InvalidOptionError, ThreadsDatabaseError
 */
async function openDatabase(url: string, limits: TimeLimits): Promise<Database> {
  const colon = url.indexOf(":");
  const scheme = url.slice(0, Math.max(colon, 0)).toLowerCase();
  const rest = url.slice(colon + 1);
  switch (scheme) {
    case "memory": {
      if (rest !== "") throw new ThreadsDatabaseError(url, 'give "memory:" alone.');
      const { openSqlite } = await import("./databases/sqlite.js");
      return openSqlite(":memory:");
    }
    case "sqlite": {
      const { openSqlite } = await import("./databases/sqlite.js");
      return openSqlite(sqlitePath(url, rest));
    }
    case "postgres":
    case "postgresql": {
      const { openPostgres } = await import("./databases/postgres.js");
      return openPostgres(url, limits);
    }
    default: {
      const place = scheme === "" ? "a place without a scheme" : `"${scheme}:"`;
      throw new InvalidOptionError("url", `Threads cannot be kept in ${place}. ${possible}`);
    }
  }
}

const possible =
  'Give "memory:", "sqlite:PATH" such as "sqlite:.glassloop/threads.db", or "postgres://USER:PASSWORD@HOST/DATABASE".';

/** Returns the path after `sqlite:`. The form `sqlite://PATH` is read, too. */
function sqlitePath(url: string, rest: string): string {
  const path = rest.startsWith("//") ? rest.slice(2) : rest;
  const problem = pathProblem(path);
  if (problem !== undefined) throw new ThreadsDatabaseError(url, problem);
  return resolve(path);
}

/** Tells why a path is probably a mistake; undefined if it is not. */
function pathProblem(path: string): string | undefined {
  if (path.trim() === "" || /[\\/]$/.test(path)) return 'give the path of a file, such as "sqlite:threads.db".';
  if (/^file:/i.test(path)) return 'give the path without "file:", such as "sqlite:/home/ann/threads.db".';
  if (path === ":memory:") return 'give "memory:" for a database that is gone when it is closed.';
  if (/^~(?:[\\/]|$)/.test(path)) return 'only a shell knows what "~" is. Write the path of your home folder in full.';
  return undefined;
}
