import { z } from "zod";
import { checkedOption, checkedOptions, give } from "../base/options.js";
import { timeLimitsSchema } from "../postgres/time-limits.js";
import { ThreadCheckpointer } from "./checkpoints/checkpointer.js";
import { openDatabase } from "./databases/open-database.js";
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
 *   `"postgres://USER:PASSWORD@HOST/DATABASE"` is for many hosts.
 * @param options The time limits of Postgres. A call fails with a ThreadsDatabaseError if one of them is over.
 * @throws InvalidOptionError if the URL is no string or has another scheme, or an option is wrong;
 *   ThreadsDatabaseError if the database cannot be used, or belongs to another program. Nothing is overwritten in
 *   that case.
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
