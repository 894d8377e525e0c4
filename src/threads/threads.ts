import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { undefinedOn } from "../base/attempted.js";
import { hasCode, InvalidOptionError, ThreadError } from "../base/errors.js";
import { checkThreadId } from "../graph/thread-id.js";
import { ThreadCheckpointer } from "./checkpoints/checkpointer.js";
import { explainDamage } from "./checkpoints/explain-damage.js";
import type { ThreadRow, ThreadSummary } from "./checkpoints/thread-row.js";
import type { Database } from "./databases/database.js";
import { readCallPlace } from "./lookup/call-place.js";
import { type CheckpointDifference, readDifference } from "./lookup/difference.js";
import { readHistory, type ThreadHistory } from "./lookup/history.js";
import { readTurn, type WholeTurn } from "./lookup/one-turn.js";
import { type SearchHit, searchThreads } from "./lookup/search.js";
import {
  readCheckpointsFrom,
  readIdsFrom,
  readPlace,
  readThread,
  readThreadIds,
  readThreads,
} from "./lookup/thread-rows.js";
import { readStats, type ThreadStats } from "./lookup/thread-stats.js";
import { readHeads } from "./lookup/thread-status.js";
import { readTurns, type TurnPage } from "./lookup/turns.js";
import { copyThread, exportThread, forkThread } from "./upkeep/copies.js";
import { checkPolicy, nothingPruned, type Pruned, pruneThread, type RetentionPolicy } from "./upkeep/prune.js";

/** The threads of a database: a checkpointer for agents, and actions for people, such as list, search and prune. */
export interface Threads extends AsyncDisposable {
  /** The name of the database, as a `ThreadsDatabaseError` has it: the path of a file, or a server and its database. */
  readonly database: string;
  /** The checkpointer that an agent keeps its threads with: `createAgent({ checkpointer: threads.checkpointer })`. */
  readonly checkpointer: BaseCheckpointSaver<number>;
  /**
   * Lists threads, the one written last first.
   *
   * @param options.waiting True lists only the threads that wait for a person; false by default.
   * @param options.text Words. Only threads are listed of which a question or an answer has all of them, as in {@link search}.
   * @param options.limit The largest number of threads to list; 100 by default.
   * @param options.before The id of a thread. Only threads written before it are listed. For the next page, give the
   *   last id of this page.
   * @throws InvalidOptionError if `limit` is not a whole number from 1, there is no thread `before`, or no word in `text`.
   */
  list(options?: {
    readonly waiting?: boolean;
    readonly text?: string;
    readonly limit?: number;
    readonly before?: string;
  }): Promise<ThreadSummary[]>;
  /**
   * Reads a thread; undefined if there is no thread with this id.
   *
   * @throws ThreadError "invalid-thread-id" if the id cannot be the id of a thread.
   */
  get(id: string): Promise<ThreadSummary | undefined>;
  /**
   * Finds threads by the beginning of their id, in the order of their ids.
   *
   * @param options.limit The largest number of ids; 100 by default.
   * @throws InvalidOptionError if `limit` is not a whole number from 1.
   */
  idsFrom(beginning: string, options?: { readonly limit?: number }): Promise<string[]>;
  /**
   * Finds checkpoints of a thread by the beginning of their id, the oldest first.
   *
   * @param options.limit The largest number of ids; 100 by default.
   * @throws InvalidOptionError if `limit` is not a whole number from 1.
   */
  checkpointsFrom(id: string, beginning: string, options?: { readonly limit?: number }): Promise<string[]>;
  /**
   * Finds the first checkpoint that has a reply or a quiet call: `promptOfCall` reads its prompt there. It does not open the thread.
   *
   * @param call The id of the reply or the quiet call, as in {@link turn}.
   * @returns undefined if no such checkpoint is kept.
   */
  checkpointOf(id: string, call: string): Promise<string | undefined>;
  /**
   * Adds up what is known of all threads: turns, model calls, tokens, bytes. It reads one value of each thread.
   *
   * @param options.thread The id of the only thread to count; all threads by default.
   * @throws ThreadError "thread-not-found", ThreadError "invalid-thread-id"
   * @example
   * const { usage } = await threads.stats();
   * const { dollars } = costOf(usage);
   */
  stats(options?: { readonly thread?: string }): Promise<ThreadStats>;
  /**
   * Searches the questions and answers of all threads. A hit contains every word of the text, in any case and with or
   * without accents. Only the first 65,536 characters of a question or an answer are searched.
   *
   * @param options.limit The largest number of hits; 100 by default.
   * @returns The hits. Hits of the thread written last come first.
   * @throws InvalidOptionError if there is no word in the text, or `limit` is not a whole number from 1. A text may have 200
   *   different words and 10,000 characters.
   */
  search(text: string, options?: { readonly limit?: number }): Promise<SearchHit[]>;
  /**
   * Reads the turns and steps of a thread with the ids of their checkpoints, as far as they are kept.
   *
   * @throws ThreadError "thread-not-found", ThreadError "invalid-thread-id"
   */
  history(id: string): Promise<ThreadHistory>;
  /**
   * Reads the newest turns of a thread: questions, answers, usage, and each step in a line. It reads one checkpoint of each turn.
   *
   * @param options.limit The largest number of turns; 50 by default.
   * @param options.before A checkpoint. Only turns before it are read. For the next page, give the `begin` of the first turn of
   *   this page.
   * @param options.checkpoint The checkpoint to which the turns lead: the `leaf` of a branch. The newest one by default.
   * @throws ThreadError "thread-not-found", "invalid-thread-id", "checkpoint-not-kept"; InvalidOptionError if `limit` is not a
   *   whole number from 1.
   */
  turns(
    id: string,
    options?: { readonly limit?: number; readonly before?: string; readonly checkpoint?: string },
  ): Promise<TurnPage>;
  /**
   * Reads one turn with all that its steps did: replies, decisions, results, passages, and its checkpoints.
   *
   * @param checkpoint A checkpoint after which the turn comes no more: the `leaf` of a branch. The newest one by default.
   * @returns undefined if the thread has no turn with this number, or none of its checkpoints is kept.
   * @throws ThreadError "thread-not-found", "invalid-thread-id", "checkpoint-not-kept"
   */
  turn(id: string, number: number, checkpoint?: string): Promise<WholeTurn | undefined>;
  /**
   * Reads what a checkpoint changed against the checkpoint before it: items that lists lost and got, and other values before and
   * after. It reads only the values that changed.
   *
   * @param checkpoint A checkpoint of the thread, also of an agent in a tool or of another graph in a node.
   * @throws ThreadError "thread-not-found", "invalid-thread-id", "checkpoint-not-kept"
   * @example
   * const { changes } = await threads.difference("t1", checkpoint);
   * // [{ channel: "messages", at: 2, removed: [], added: [an AIMessage], length: 3 }, { channel: "answer", before: "", after: "4" }, …]
   */
  difference(id: string, checkpoint: string): Promise<CheckpointDifference>;
  /**
   * Copies a checkpoint, and all checkpoints before it that are kept, into a new thread. The old thread stays as it is.
   *
   * @throws ThreadError "thread-not-found"; ThreadError "checkpoint-not-kept" if the checkpoint was pruned; ThreadError "thread-exists" if there is a
   *   thread with the new id; ThreadInUseError if a run uses that id.
   * @example
   * const { turns } = await threads.history("t1");
   * const end = turns[0].steps.at(-1);
   * await threads.fork("t1", end.checkpoint, "t1-what-if");
   */
  fork(id: string, checkpoint: string, newId: string): Promise<ThreadSummary>;
  /**
   * Deletes checkpoints that are no longer wanted, and the content that only they needed. The newest checkpoint of a
   * thread stays, and it holds the whole conversation. The ends of branches stay, too. A checkpoint that stays
   * reads as before. Its parent becomes the nearest checkpoint before it that stays. Threads in use and damaged threads
   * are left out. A file of SQLite gets smaller. Postgres uses the space again.
   *
   * @param options.thread The id of the only thread to prune; all threads by default.
   * @throws InvalidOptionError if the options do not say what to keep; ThreadError "thread-not-found"
   * @example
   * await threads.prune({ keepTurns: 20 });
   * await threads.prune({ thread: "t1", keepSince: new Date("2026-11-01") });
   */
  prune(options: RetentionPolicy & { readonly thread?: string }): Promise<PruneResult>;
  /**
   * Copies a thread into another database, under its id and with all that is kept of it: all of it or nothing. The old
   * one stays as it is. An unfinished turn can go on in either of the two. A run may use the thread meanwhile: what it
   * has stored by then is copied.
   *
   * @param target The threads of the other database. A file of SQLite has no other writer until the copy is done.
   * @throws ThreadError "thread-not-found"; ThreadError "thread-exists" if there is a thread with the id in the other database;
   *   ThreadInUseError if a run uses the id there; ThreadError "damaged-thread"; InvalidOptionError
   * @example
   * await using backup = await openThreads("sqlite:backup.db");
   * await threads.copy("t1", backup);
   */
  copy(id: string, target: Threads): Promise<void>;
  /**
   * Writes a thread as JSON Lines, for people and programs to read.
   *
   * @returns The lines, each with its line break.
   * @throws ThreadError "thread-not-found"
   */
  export(id: string): AsyncGenerator<string>;
  /**
   * Deletes a thread and everything that belongs to it.
   *
   * @returns True if there was a thread with this id.
   * @throws ThreadError "invalid-thread-id" if the id cannot be the id of a thread; ThreadInUseError if a run uses the thread.
   */
  delete(id: string): Promise<boolean>;
  /** Ends the connections to the database. Everything that was written is safe without this. */
  close(): Promise<void>;
}

/** The result of pruning: the numbers of deleted rows, and the number of threads that lost any. */
export interface PruneResult extends Pruned {
  readonly threads: number;
  /** The threads that were left out because a run uses them. */
  readonly inUse: readonly string[];
  /** The threads that were left out because a part that they need cannot be read. */
  readonly damaged: readonly string[];
}

const DEFAULT_LIMIT = 100;
const MOST_TURNS = 50;

/** Returns the actions for people over the threads of a database. */
export function threadsOf(database: Database, checkpointer: ThreadCheckpointer): Threads {
  const { guard } = checkpointer;

  async function find(id: string): Promise<ThreadRow> {
    const row = await readThread(database, checkThreadId(id));
    if (row === undefined) throw new ThreadError("thread-not-found", id);
    return row;
  }

  async function summarizer(rows: readonly ThreadRow[]): Promise<(row: ThreadRow) => ThreadSummary> {
    const ids = rows.map(({ id }) => id);
    const headOf = await readHeads(database, ids, (thread) => guard.isRunning(thread));
    return (row) => ({ ...row, ...headOf(row.id) });
  }

  async function summarize(row: ThreadRow): Promise<ThreadSummary> {
    const summaryOf = await summarizer([row]);
    return summaryOf(row);
  }

  async function get(id: string): Promise<ThreadSummary | undefined> {
    const row = await readThread(database, checkThreadId(id));
    return row && summarize(row);
  }

  async function pruneFree(thread: string, policy: RetentionPolicy): Promise<Pruned | "in use" | "damaged"> {
    const lease = await guard.take(thread).catch(undefinedOn("thread-in-use"));
    if (lease === undefined) return "in use";
    try {
      return await pruneThread(database, (statements) => guard.write(thread, lease.owner, statements), thread, policy);
    } catch (error) {
      if (hasCode(error, "damaged-thread")) return "damaged";
      throw error;
    } finally {
      await lease.release();
    }
  }

  async function close(): Promise<void> {
    await guard.close();
    await database.close();
  }

  return {
    database: database.place,
    checkpointer,
    get,
    async list({ waiting = false, text, limit = DEFAULT_LIMIT, before } = {}) {
      checkLimit(limit);
      const after = before === undefined ? undefined : await readPlace(database, checkThreadId(before));
      if (before !== undefined && after === undefined) {
        throw new InvalidOptionError("before", `there is no thread "${before}". Give the id of a thread of the list.`);
      }
      const wanted = waiting ? { limit: Number.MAX_SAFE_INTEGER, waiting: "only" as const } : { limit };
      const rows = (await readThreads(database, { ...wanted, text, after })).map(({ place: _, ...row }) => row);
      const listed = rows.map(await summarizer(rows));
      return waiting ? listed.filter(({ status }) => status === "waiting").slice(0, limit) : listed;
    },
    async idsFrom(beginning, { limit = DEFAULT_LIMIT } = {}) {
      checkLimit(limit);
      return readIdsFrom(database, beginning, limit);
    },
    async checkpointsFrom(id, beginning, { limit = DEFAULT_LIMIT } = {}) {
      checkLimit(limit);
      return readCheckpointsFrom(database, checkThreadId(id), beginning, limit);
    },
    async checkpointOf(id, call) {
      return readCallPlace(database, checkThreadId(id), call);
    },
    async stats({ thread } = {}) {
      return readStats(database, thread === undefined ? undefined : (await find(thread)).id);
    },
    async search(text, { limit = DEFAULT_LIMIT } = {}) {
      checkLimit(limit);
      return searchThreads(database, text, limit);
    },
    async history(id) {
      await find(id);
      return explainDamage(database, id, () => readHistory(database, id));
    },
    async turns(id, { limit = MOST_TURNS, before, checkpoint } = {}) {
      checkLimit(limit);
      await find(id);
      return explainDamage(database, id, () => readTurns(database, id, { limit, before, checkpoint }));
    },
    async turn(id, number, checkpoint) {
      await find(id);
      return explainDamage(database, id, () => readTurn(database, id, number, checkpoint));
    },
    async difference(id, checkpoint) {
      await find(id);
      return explainDamage(database, id, () => readDifference(database, id, checkpoint));
    },
    async fork(id, checkpoint, newId) {
      const fork = { source: await find(id), checkpoint, newThread: checkThreadId(newId) };
      await forkThread(checkpointer, fork);
      return summarize(await find(newId));
    },
    async prune({ thread, ...policy }) {
      checkPolicy(policy);
      const ids = thread === undefined ? await readThreadIds(database) : [(await find(thread)).id];
      let total: PruneResult = { ...nothingPruned, threads: 0, inUse: [], damaged: [] };
      for (const id of ids) total = addPruned(total, id, await pruneFree(id, policy));
      if (total.threads > 0) await database.shrink?.();
      return total;
    },
    async copy(id, target) {
      if (!(target.checkpointer instanceof ThreadCheckpointer)) {
        throw new InvalidOptionError("target", "give the threads that openThreads opened.");
      }
      await copyThread(database, await find(id), target.checkpointer);
    },
    async *export(id) {
      yield* exportThread(database, await find(id));
    },
    async delete(id) {
      const thread = await readThread(database, checkThreadId(id));
      await checkpointer.deleteThread(id);
      return thread !== undefined;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function checkLimit(limit: number): void {
  if (!Number.isSafeInteger(limit) || limit < 1) throw new InvalidOptionError("limit", "give a whole number from 1.");
}

function addPruned(total: PruneResult, thread: string, pruned: Pruned | "in use" | "damaged"): PruneResult {
  if (pruned === "in use") return { ...total, inUse: [...total.inUse, thread] };
  if (pruned === "damaged") return { ...total, damaged: [...total.damaged, thread] };
  return {
    ...total,
    checkpoints: total.checkpoints + pruned.checkpoints,
    versions: total.versions + pruned.versions,
    items: total.items + pruned.items,
    threads: total.threads + (pruned.checkpoints + pruned.versions + pruned.items > 0 ? 1 : 0),
  };
}
