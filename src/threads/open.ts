import { resolve } from "node:path";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { InvalidOptionError, ThreadsDatabaseError, UnknownDatabaseError } from "../errors.js";
import { ThreadCheckpointer } from "./checkpointer.js";
import type { Database } from "./database.js";
import { checkThreadId } from "./thread-id.js";
import { readThread, readThreads, type ThreadSummary } from "./thread-rows.js";

/** Threads in a database: a checkpointer for agents, and what people do with threads. */
export interface Threads extends AsyncDisposable {
  /** What an agent keeps its threads with: `createAgent({ checkpointer: threads.checkpointer })`. */
  readonly checkpointer: BaseCheckpointSaver<number>;
  /**
   * Lists threads, the one written last first.
   *
   * @param options.limit How many at most; 100 unless given.
   * @param options.before Only threads written before this one: the id of the last thread of the page before.
   * @throws InvalidOptionError when `limit` is no whole number from 1, or there is no thread `before`.
   */
  list(options?: { readonly limit?: number; readonly before?: string }): Promise<ThreadSummary[]>;
  /** A thread; undefined when there is none with this id. @throws InvalidThreadIdError when the id cannot be one. */
  get(id: string): Promise<ThreadSummary | undefined>;
  /**
   * Deletes a thread and everything that belongs to it.
   *
   * @returns Whether there was one.
   * @throws InvalidThreadIdError when the id cannot be one.
   */
  delete(id: string): Promise<boolean>;
  /** Ends the connections to the database. What was written is safe without it. */
  close(): Promise<void>;
}

const DEFAULT_LIMIT = 100;

/**
 * Opens the threads of a database, and makes it when it is missing.
 *
 * @param url `"memory:"`, gone when closed; `"sqlite:PATH"`, a file that several processes may use at once, readable by
 *   its owner only, whose folder is made when missing; or `"postgres://USER:PASSWORD@HOST/DATABASE"`, for many hosts.
 * @throws UnknownDatabaseError when the URL has another scheme; ThreadsDatabaseError when the database cannot be used, or
 *   is not one of Glassloop's. Nothing is overwritten then.
 * @example
 * await using threads = await openThreads("sqlite:.glassloop/threads.db");
 * const agent = createAgent({ model, tools, checkpointer: threads.checkpointer });
 * await agent.invoke({ messages: "What is 2 + 2?" }, { configurable: { thread_id: "t1" } });
 * await threads.list(); // [{ id: "t1", title: "What is 2 + 2?", turns: 1, createdAt: …, … }]
 */
export async function openThreads(url: string): Promise<Threads> {
  const database = await openDatabase(url);
  const checkpointer = new ThreadCheckpointer(database);
  const get = async (id: string) => readThread(database, checkThreadId(id));
  const close = async () => {
    await checkpointer.guard.close();
    await database.close();
  };
  return {
    checkpointer,
    get,
    async list({ limit = DEFAULT_LIMIT, before } = {}) {
      if (!Number.isSafeInteger(limit) || limit < 1)
        throw new InvalidOptionError("limit", "give a whole number from 1.");
      const last = before === undefined ? undefined : await get(before);
      if (before !== undefined && last === undefined) {
        throw new InvalidOptionError("before", `there is no thread "${before}". Give the id of a thread of the list.`);
      }
      return readThreads(database, limit, last);
    },
    async delete(id) {
      const thread = await get(id);
      await checkpointer.deleteThread(id);
      return thread !== undefined;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Each driver is loaded only when it is needed: that takes its time. */
async function openDatabase(url: string): Promise<Database> {
  const colon = url.indexOf(":");
  const scheme = url.slice(0, Math.max(colon, 0)).toLowerCase();
  const rest = url.slice(colon + 1);
  switch (scheme) {
    case "memory": {
      if (rest !== "") throw new ThreadsDatabaseError(url, 'give "memory:" alone.');
      const { openSqlite } = await import("./sqlite.js");
      return openSqlite(":memory:");
    }
    case "sqlite": {
      const { openSqlite } = await import("./sqlite.js");
      return openSqlite(sqlitePath(url, rest));
    }
    case "postgres":
    case "postgresql": {
      const { openPostgres } = await import("./postgres.js");
      return openPostgres(url);
    }
    default:
      throw new UnknownDatabaseError(scheme);
  }
}

/** The path after `sqlite:`; that of a `sqlite://` URL is taken too. */
function sqlitePath(url: string, rest: string): string {
  const path = rest.startsWith("//") ? rest.slice(2) : rest;
  if (path === "") throw new ThreadsDatabaseError(url, 'give the path of a file, such as "sqlite:threads.db".');
  return resolve(path);
}
