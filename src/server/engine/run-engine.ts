import type { MadeCheckpoint } from "../../threads/runs/index.js";

/** The states of a run, in the words of LangGraph's server. `interrupted` is a run that was cancelled. */
export const runStatuses = ["pending", "running", "success", "error", "timeout", "interrupted"] as const;
export type RunStatus = (typeof runStatuses)[number];

/** The ways to treat a run whose thread has another run, in the words of LangGraph's server. */
export const runStrategies = ["reject", "enqueue", "interrupt", "rollback"] as const;
export type RunStrategy = (typeof runStrategies)[number];

/** What a client gave for a run. It is kept as it came. */
export interface RunInput {
  readonly input?: unknown;
  readonly command?: unknown;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly context?: Readonly<Record<string, unknown>>;
  /** The checkpoint to start from: its id, and its namespace. */
  readonly checkpoint?: Readonly<Record<string, unknown>>;
  readonly streamMode: readonly string[];
  readonly subgraphs: boolean;
  readonly interruptBefore?: "*" | readonly string[];
  readonly interruptAfter?: "*" | readonly string[];
  readonly durability?: "sync" | "async" | "exit";
}

/** A run to enqueue. */
export interface RunOrder {
  readonly id: string;
  readonly thread: string;
  /** The name of the graph. */
  readonly graph: string;
  readonly owner: string | undefined;
  /** Who wants the run; undefined if the server knows nobody by name. */
  readonly by?: string | undefined;
  /** True if the run brings questions, and may not change what was said. */
  readonly onlyAsks?: boolean | undefined;
  readonly strategy: RunStrategy;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly given: RunInput;
  /** True if the thread is deleted when the run has ended: a run without a thread. */
  readonly temporary: boolean;
}

/** A run: a row of the database. Times are ISO 8601, UTC. */
export interface Run extends RunOrder {
  readonly status: RunStatus;
  /** The place of the run in the order of all runs. On a thread they are executed in this order. */
  readonly number: number;
  /** The number of times that a process took the run, from 1; 0 while it is pending. */
  readonly attempt: number;
  /** Why the run failed; undefined unless the status is `error` or `timeout`. */
  readonly error?: { readonly name: string; readonly message: string };
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** An event of a run, as its readers get it. */
export interface RunEvent {
  /** The number of the event in its run, from 1. A reader that comes back names the last one that it saw. */
  readonly seq: number;
  /** LangGraph's stream mode, with the namespace of a subgraph: `values`, `updates|act:…`; also `metadata` and `error`. */
  readonly event: string;
  /** The data of the event as JSON, in LangGraph's form on the wire. */
  readonly json: string;
  /** When it was recorded, in milliseconds since 1970. */
  readonly at: number;
  /** The checkpoint that holds its values; undefined for an event without, and for values that no checkpoint holds. */
  readonly checkpoint?: ({ readonly id: string } & MadeCheckpoint) | undefined;
}

/** What runs the runs of a server. */
export interface RunEngine {
  /**
   * Stores a run, and has it run when its turn on its thread comes.
   *
   * @throws ThreadInUseError if the thread has a run, and the strategy is `reject`; ThreadError "thread-not-found" if the thread
   *   is of another owner; RunError "run-exists", "too-many-runs", "unknown-graph", "server-closing".
   */
  enqueue(order: RunOrder): Promise<Run>;
  /**
   * Stops a run that is pending or running. `rollback` also deletes its checkpoints, and its row. Resolves when the run has
   * ended. Does nothing for a run that has ended.
   *
   * @throws RunError "run-not-found"
   */
  cancel(id: string, action: "interrupt" | "rollback"): Promise<void>;
  /**
   * Reads the events of a run, and waits for further ones until the run has ended.
   *
   * @throws RunError "run-not-found"; "run-events-deleted" if events that the reader lacks are not kept any more;
   *   "server-closing" if the server closes before the run has ended. The reader may come back with the last number that it has.
   * @param afterSeq The number of the last event that the reader has; 0 for all.
   * @param signal A signal that ends the reading. The run goes on.
   */
  stream(id: string, afterSeq: number, signal?: AbortSignal): AsyncIterable<RunEvent>;
  /**
   * Reads the runs of a thread in their order, and waits for further ones: those that have not ended, or the newest one, and
   * each that comes. A run that was cancelled before it began, or whose events are deleted, is left out.
   *
   * @param owner Whose runs are read.
   * @param after The number of a run: all after it are read, also those that have ended.
   * @throws RunError "server-closing" if the server closes.
   */
  follow(thread: string, owner: string | undefined, after: number | undefined, signal: AbortSignal): AsyncIterable<Run>;
  get(id: string): Promise<Run | undefined>;
  /** Lists the runs of a thread, the newest first. */
  list(
    thread: string,
    options: { readonly limit: number; readonly offset: number; readonly status?: RunStatus },
  ): Promise<Run[]>;
  /** Deletes the row and the events of a run that has ended. @throws RunError "run-not-found", "run-active" */
  delete(id: string): Promise<void>;
  /** The number of runs that this engine executes. */
  readonly activeRuns: number;
  /** The number of runs that ended in this engine, by how they ended. */
  readonly endedRuns: ReadonlyMap<RunStatus, number>;
  /** The time for which this engine has not been able to look for runs, in milliseconds. */
  readonly silentMs: number;
  /**
   * Takes nothing new, lets steps in hand end for this time, and leaves the other runs to be resumed.
   *
   * @returns Whether the steps ended in that time.
   */
  close(drainMs: number): Promise<boolean>;
}
