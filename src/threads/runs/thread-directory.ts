import { ThreadError } from "../../base/errors.js";
import { checkThreadId } from "../../graph/thread-id.js";
import type { ThreadCheckpointer } from "../checkpoints/checkpointer.js";
import { explainDamage } from "../checkpoints/explain-damage.js";
import {
  changeStatement,
  type ThreadStatus,
  type ThreadSummary,
  type WaitingInterrupt,
} from "../checkpoints/thread-row.js";
import { type Cell, type Database, NOW, numberOf, optionalTextOf, rowsOf, textOf } from "../databases/database.js";
import { readCallPlace } from "../lookup/call-place.js";
import { type CheckpointDifference, readDifference } from "../lookup/difference.js";
import { labelStatements, leavesOf, type Metadata, readMetadata } from "../lookup/labels.js";
import { readTurn } from "../lookup/one-turn.js";
import { type Place, readThread, readThreads, type ThreadsWanted } from "../lookup/thread-rows.js";
import { readStats, type ThreadStats } from "../lookup/thread-stats.js";
import { readHeads } from "../lookup/thread-status.js";
import { readTurns, type TurnPage, type TurnsWanted } from "../lookup/turns.js";
import { forkThread } from "../upkeep/copies.js";

/** The states of a thread, in the words of LangGraph's server. */
export const servedStatuses = ["idle", "busy", "interrupted", "error"] as const;
type ServedStatus = (typeof servedStatuses)[number];

/** A thread, as a server shows it. Times are ISO 8601, UTC. */
export interface ServedThread {
  readonly id: string;
  readonly owner: string | undefined;
  /** The name of the agent that wrote the thread; undefined if none did. */
  readonly graph: string | undefined;
  readonly metadata: Metadata;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly status: ServedStatus;
  /** The questions that wait for a person. */
  readonly interrupts: readonly WaitingInterrupt[];
}

/** The conditions for threads to find. */
export interface ThreadQuery {
  /** Whom the threads belong to. Undefined finds only threads without an owner. */
  readonly owner: string | undefined;
  /** Whom they may belong to instead: one of these, or anybody. */
  readonly others?: "all" | readonly string[];
  /** Values that the metadata must have, at any depth. */
  readonly metadata?: Metadata | undefined;
  /** The graph that the threads are of: its name in the metadata, or that of its agent in threads whose metadata names none. */
  readonly graph?: { readonly name: string; readonly agent: string | undefined } | undefined;
  readonly status?: ServedStatus | undefined;
  readonly ids?: readonly string[] | undefined;
}

/** A thread in a list, with all that is known of it without opening it. A run that waits to begin counts as running. */
export interface ListedThread extends ThreadSummary {
  readonly metadata: Metadata;
}

/** Which threads of a list to read. */
export type ListQuery = Pick<ThreadQuery, "owner" | "others"> &
  Pick<ThreadsWanted, "limit" | "after" | "waiting" | "text">;

export interface ThreadPage {
  readonly limit: number;
  readonly offset: number;
  /** Default: `updatedAt`. */
  readonly sortBy?: "id" | "createdAt" | "updatedAt" | undefined;
  /** Default: `desc`. */
  readonly order?: "asc" | "desc" | undefined;
}

const columns = "t.id, t.owner, t.graph, t.created_at, t.updated_at";
const sortColumns = { id: "t.id", createdAt: "t.created_at", updatedAt: "t.updated_at" } as const;
/** The threads that are looked at together to find those in a state, which no column has. */
const PAGE = 200;

interface Row {
  readonly id: string;
  readonly owner: string | undefined;
  readonly graph: string | undefined;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The threads of a server: each has an owner and metadata. */
export class ThreadDirectory {
  readonly #database: Database;

  constructor(private readonly checkpointer: ThreadCheckpointer) {
    this.#database = checkpointer.database;
  }

  /** Makes a thread without a checkpoint. @throws ThreadError "thread-exists", "invalid-thread-id" */
  async create(id: string, owner: string | undefined, metadata: Metadata): Promise<ServedThread> {
    const insert = {
      sql: `insert into glassloop_threads (id, created_at, updated_at, turns, owner) select $1, at, at, 0, $2
        from (select ${NOW} as at) now returning created_at`,
      parameters: [checkThreadId(id), owner ?? null],
    };
    const statements = [insert, changeStatement(id), ...labelStatements(id, metadata)];
    const [[row] = []] = await this.#database.batch(statements).catch(async (error: unknown) => {
      throw (await this.#exists(id)) ? new ThreadError("thread-exists", id) : error;
    });
    const at = row === undefined ? "" : textOf(row, "created_at");
    return { id, owner, graph: undefined, metadata, createdAt: at, updatedAt: at, status: "idle", interrupts: [] };
  }

  async #exists(id: string): Promise<boolean> {
    return (await this.#database.all("select 1 from glassloop_threads where id = $1", [id])).length > 0;
  }

  /** Reads a thread of an owner. @throws ThreadError "thread-not-found", also for a thread of another owner */
  async get(id: string, owner: string | undefined): Promise<ServedThread> {
    const [thread] = await this.search({ owner, ids: [id] }, { limit: 1, offset: 0 });
    if (thread === undefined) throw new ThreadError("thread-not-found", id);
    return thread;
  }

  /** Reads whom a thread belongs to; undefined also if there is no such thread. */
  async ownerOf(id: string): Promise<string | undefined> {
    const [row] = await this.#database.all("select owner from glassloop_threads where id = $1", [id]);
    return row && optionalTextOf(row, "owner");
  }

  /** Tells whether an owner has a thread. */
  async owns(id: string, owner: string | undefined): Promise<boolean> {
    const { conditions, parameters } = conditionsOf({ owner, ids: [id] });
    const query = `select 1 from glassloop_threads t where ${conditions.join(" and ")}`;
    return (await this.#database.all(query, parameters)).length > 0;
  }

  /** Sets metadata. Keys that are not named stay. @throws ThreadError "thread-not-found" */
  async patch(id: string, owner: string | undefined, metadata: Metadata): Promise<void> {
    await this.#check(id, owner);
    const touch = { sql: `update glassloop_threads set updated_at = ${NOW} where id = $1`, parameters: [id] };
    await this.#database.batch([touch, changeStatement(id), ...labelStatements(id, metadata)]);
  }

  /** Reads the metadata of a thread. @throws ThreadError "thread-not-found" */
  async metadataOf(id: string, owner: string | undefined): Promise<Metadata> {
    await this.#check(id, owner);
    return (await readMetadata(this.#database, [id])).get(id) ?? {};
  }

  /** Finds threads. Those of runs without a thread are not among them, unless they are asked for by their id. */
  async search(query: ThreadQuery, page: ThreadPage): Promise<ServedThread[]> {
    if (query.status === undefined) return this.#served(await this.#read(query, page));
    const found: ServedThread[] = [];
    for await (const thread of this.#inState(query, page)) {
      found.push(thread);
      if (found.length === page.offset + page.limit) break;
    }
    return found.slice(page.offset);
  }

  /**
   * Lists threads as `threads.list` does, the one written last first: those of owners, and not those of runs without a thread.
   *
   * @returns The threads with their places, at most one more than the limit: `after` is the place of the last one that was shown.
   * @throws InvalidOptionError if there is no word in the text
   */
  async list({ owner, others, waiting, limit, ...wanted }: ListQuery) {
    const { conditions, parameters } = conditionsOf({ owner, ...(others && { others }) });
    return this.#listed({ ...wanted, waiting, limit: limit + 1, conditions, parameters });
  }

  /** Reads threads by their ids, whomever they belong to, as they stand in a list. */
  async listed(ids: readonly string[]): Promise<ListedThread[]> {
    const conditions = [hasIdIn(1), notTemporary];
    const parameters = [rowsOf(ids.map((id) => [id]))];
    const found = await this.#listed({ limit: ids.length, conditions, parameters });
    return found.map(({ thread }) => thread);
  }

  async #listed(wanted: ThreadsWanted): Promise<{ readonly thread: ListedThread; readonly place: Place }[]> {
    const rows = await readThreads(this.#database, wanted);
    const factsOf = await this.#factsOf(rows.map(({ id }) => id));
    return rows.map(({ place, ...row }) => {
      const { metadata, run, head } = factsOf(row.id);
      return { thread: { ...row, ...head, status: listedStatus(head.status, run), metadata }, place };
    });
  }

  async count(query: ThreadQuery): Promise<number> {
    if (query.status !== undefined) {
      let count = 0;
      for await (const _ of this.#inState(query, {})) count += 1;
      return count;
    }
    const { conditions, parameters } = conditionsOf(query);
    const [row] = await this.#database.all(
      `select cast(count(*) as integer) as count from glassloop_threads t where ${conditions.join(" and ")}`,
      parameters,
    );
    return row ? numberOf(row, "count") : 0;
  }

  async *#inState(query: ThreadQuery, sort: Pick<ThreadPage, "sortBy" | "order">): AsyncGenerator<ServedThread> {
    for (let offset = 0; ; offset += PAGE) {
      const rows = await this.#read(query, { ...sort, limit: PAGE, offset });
      yield* (await this.#served(rows)).filter(({ status }) => status === query.status);
      if (rows.length < PAGE) return;
    }
  }

  async #read(query: ThreadQuery, { limit, offset, sortBy, order }: ThreadPage): Promise<Row[]> {
    const { conditions, parameters } = conditionsOf(query);
    const by = sortColumns[sortBy ?? "updatedAt"];
    const direction = order === "asc" ? "asc" : "desc";
    const rows = await this.#database.all(
      `select ${columns} from glassloop_threads t where ${conditions.join(" and ")} order by ${by} ${direction}, t.id ${direction}
        limit $${parameters.length + 1} offset $${parameters.length + 2}`,
      [...parameters, limit, offset],
    );
    return rows.map((row) => ({
      id: textOf(row, "id"),
      owner: optionalTextOf(row, "owner"),
      graph: optionalTextOf(row, "graph"),
      createdAt: textOf(row, "created_at"),
      updatedAt: textOf(row, "updated_at"),
    }));
  }

  async #served(rows: readonly Row[]): Promise<ServedThread[]> {
    const factsOf = await this.#factsOf(rows.map(({ id }) => id));
    return rows.map((row): ServedThread => {
      const { metadata, run, head } = factsOf(row.id);
      return { ...row, metadata, status: servedStatus(head.status, run), interrupts: head.interrupts ?? [] };
    });
  }

  async #factsOf(ids: readonly string[]) {
    const [metadata, runs, headOf] = await Promise.all([
      readMetadata(this.#database, ids),
      this.#lastRuns(ids),
      readHeads(this.#database, ids, (thread) => this.checkpointer.guard.isRunning(thread)),
    ]);
    return (id: string) => ({ metadata: metadata.get(id) ?? {}, run: runs.get(id), head: headOf(id) });
  }

  /** Reads the status of the newest run of threads; `running` if one of them has not ended. */
  async #lastRuns(ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.#database.all(
      `select r.thread, case when exists (select 1 from glassloop_runs active where active.thread = r.thread
          and active.status in ('pending', 'running')) then 'running' else r.status end as status
        from json_array_elements($1) wanted cross join glassloop_runs r
        where r.number = (select max(number) from glassloop_runs where thread = wanted.value ->> 0)`,
      [rowsOf(ids.map((id) => [id]))],
    );
    return new Map(rows.map((row) => [textOf(row, "thread"), textOf(row, "status")]));
  }

  /** Reads turns of a thread. @throws ThreadError "thread-not-found", "checkpoint-not-kept" */
  async turns(id: string, owner: string | undefined, wanted: TurnsWanted): Promise<TurnPage> {
    await this.#check(id, owner);
    return explainDamage(this.#database, id, () => readTurns(this.#database, id, wanted));
  }

  /** Reads one turn of a thread. @throws ThreadError "thread-not-found", "checkpoint-not-kept" */
  async turn(id: string, owner: string | undefined, number: number, checkpoint: string | undefined) {
    await this.#check(id, owner);
    return explainDamage(this.#database, id, () => readTurn(this.#database, id, number, checkpoint));
  }

  /** Reads what a checkpoint changed. @throws ThreadError "thread-not-found", "checkpoint-not-kept" */
  async difference(id: string, owner: string | undefined, checkpoint: string): Promise<CheckpointDifference> {
    await this.#check(id, owner);
    return explainDamage(this.#database, id, () => readDifference(this.#database, id, checkpoint));
  }

  /** Finds the first checkpoint that has a reply. @throws ThreadError "thread-not-found" */
  async checkpointOf(id: string, owner: string | undefined, call: string): Promise<string | undefined> {
    await this.#check(id, owner);
    return readCallPlace(this.#database, id, call);
  }

  /** Adds up what is known of a thread. @throws ThreadError "thread-not-found" */
  async stats(id: string, owner: string | undefined): Promise<ThreadStats> {
    await this.#check(id, owner);
    return readStats(this.#database, id);
  }

  async #check(id: string, owner: string | undefined): Promise<void> {
    if (!(await this.owns(id, owner))) throw new ThreadError("thread-not-found", id);
  }

  /**
   * Copies a thread of an owner, with its metadata, into a new one: all that leads to its newest checkpoint.
   *
   * @throws ThreadError "thread-not-found", "thread-exists"
   */
  async copy(id: string, owner: string | undefined, newId: string): Promise<ServedThread> {
    const { metadata } = await this.get(id, owner);
    const tuple = await this.checkpointer.getTuple({ configurable: { thread_id: id } });
    const source = tuple && (await readThread(this.#database, id));
    if (source === undefined) return this.create(newId, owner, metadata);
    await forkThread(this.checkpointer, { source, checkpoint: tuple?.checkpoint.id ?? "", newThread: newId });
    return this.get(newId, owner);
  }

  /** Deletes a thread of an owner, with its runs. @throws ThreadError "thread-not-found", ThreadInUseError */
  async delete(id: string, owner: string | undefined): Promise<void> {
    await this.#check(id, owner);
    await this.checkpointer.deleteThread(id);
  }
}

function servedStatus(status: string, run: string | undefined): ServedStatus {
  if (status === "running" || run === "running") return "busy";
  // A run that stopped at a breakpoint has ended well, although its thread has not.
  if (status === "waiting" || (status === "interrupted" && run === "success")) return "interrupted";
  if (status === "failed" || run === "error") return "error";
  return "idle";
}

function listedStatus(status: ThreadStatus, run: string | undefined): ThreadStatus {
  if (run === "running") return "running";
  return status === "idle" && run === "error" ? "failed" : status;
}

const notTemporary = "t.id not in (select thread from glassloop_runs where is_temporary = 1)";
const hasIdIn = (parameter: number) =>
  `t.id in (select wanted.value ->> 0 from json_array_elements($${parameter}) wanted)`;

function conditionsOf(query: ThreadQuery): { conditions: string[]; parameters: Cell[] } {
  const { owner, others = [], metadata = {}, graph, ids } = query;
  const parameters: Cell[] = [];
  const conditions: string[] = [];
  if (others === "all") conditions.push("t.owner is not null");
  else {
    const owners = parameters.push(rowsOf([owner ?? "", ...others].map((one) => [one])));
    conditions.push(`coalesce(t.owner, '') in (select seen.value ->> 0 from json_array_elements($${owners}) seen)`);
  }
  for (const { path, value } of leavesOf(metadata)) {
    const at = parameters.push(path, value);
    conditions.push(
      `exists (select 1 from glassloop_metadata where thread = t.id and path = $${at - 1} and value = $${at})`,
    );
  }
  if (graph !== undefined) {
    const at = parameters.push(JSON.stringify(graph.name), graph.agent ?? null);
    const named = `select value from glassloop_metadata where thread = t.id and path = '["graph_id"]'`;
    conditions.push(`($${at - 1} = (${named}) or (t.graph = $${at} and not exists (${named})))`);
  }
  if (ids !== undefined) {
    const at = parameters.push(rowsOf(ids.map((id) => [id])));
    conditions.push(hasIdIn(at));
  } else {
    conditions.push(notTemporary);
  }
  return { conditions, parameters };
}
