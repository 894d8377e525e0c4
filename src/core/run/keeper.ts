import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { isRecord } from "../../base/is-record.js";

/** The ways to treat a run whose thread is in use, in the words of the LangGraph server. */
export const multitaskStrategies = ["reject", "enqueue", "interrupt"] as const;
export type MultitaskStrategy = (typeof multitaskStrategies)[number];

/** What a new question does to a call that waits for a person. */
export const waysWhileWaiting = ["refuse", "keep", "drop"] as const;
export type WhileWaiting = (typeof waysWhileWaiting)[number];

/** The right of one run to use a thread. */
export interface Lease {
  readonly thread: string;
  /** The id of the run. */
  readonly owner: string;
  /**
   * A signal that aborts if the run has to stop: another run interrupted it, or took the thread over. Its reason is the
   * error to throw.
   */
  readonly signal: AbortSignal;
  /** True if what the run was given was stored since {@link begin} was called: a question in a checkpoint, or an answer beside one. */
  readonly hasStored: boolean;
  /** Tells that the run itself begins now. The repair of its thread comes before that. */
  begin(): void;
  /**
   * Keeps the thread until some work has ended, or has had ten seconds to end. This counts if another run interrupts
   * this one: the work may go on for a while after its run has stopped.
   */
  keepUntil(work: Promise<unknown>): void;
  /** Releases the thread. Never throws, and may be called twice. */
  release(): Promise<void>;
  /** Releases the thread, too. @throws The error of rows that could not be stored, if no caller was told of it. */
  end(): Promise<void>;
}

/** The one key of a `configurable` under which the configs of a run have their run. */
export const RUN_KEY = "__glassloop";

/** The key of a `configurable` under which a server says who wants the run, and since when: `{ by, at }`. No client may set it. */
export const DECIDER_KEY = "__glassloop_decider";
/** The name of whoever decided, on a command that a program made. No JSON has it, and two copies of this package know it. */
export const DECIDED_BY = Symbol.for("glassloop.decided-by");

/** A run, or a part of one, as a checkpointer sees it. */
export class LeaseHolder {
  /** The right to use the thread; undefined if nobody keeps the thread. */
  lease: Lease | undefined;

  /** LangGraph's streams of checkpoints and its remote graphs write configs as JSON. A run is not for their readers. */
  toJSON(): undefined {
    return undefined;
  }
}

/** Returns the lease on the thread of a config; undefined if its run has none. A tool may run a graph on another thread. */
export function leaseOf({ configurable }: RunnableConfig): Lease | undefined {
  const lease = leaseIn(configurable);
  return lease?.thread === configurable?.thread_id ? lease : undefined;
}

/** Returns the lease in a configurable. The run that has it may be of another copy of this package. */
export function leaseIn(configurable: Readonly<Record<string, unknown>> | undefined): Lease | undefined {
  const holder = configurable?.[RUN_KEY];
  return isRecord(holder) && isLease(holder.lease) ? holder.lease : undefined;
}

function isLease(value: unknown): value is Lease {
  return isRecord(value) && typeof value.owner === "string" && typeof value.keepUntil === "function";
}

/** The graph whose state a thread holds. */
export interface GraphIdentity {
  /** The graph's name. */
  readonly name: string;
  /** The version of the graph's state, from 1. */
  readonly stateVersion: number;
  /**
   * The channels that only pass a value on to the next super-step, which has no effects. Example: the trigger of the
   * node `parse`, which only reads the model's reply. Writes to such a channel may be stored together with the writes
   * of the next super-step. A crash then loses both, and neither more nor less.
   */
  readonly passing: ReadonlySet<string>;
}

/** The name under which a checkpointer shows its keeper. Two copies of this package have the same one. */
export const KEEPER = Symbol.for("glassloop.keeper");

/** What a checkpointer does for an agent beside LangGraph's part. It knows who may run a thread, and whose state it holds. */
export interface ThreadKeeper {
  /** The same object for all checkpointers of one database. */
  readonly place: object;
  /** Takes a thread for one run. @throws ThreadInUseError if another run has it, and the strategy is to refuse then. */
  take(thread: string, strategy?: MultitaskStrategy, signal?: AbortSignal): Promise<Lease>;
  /** Reads the checkpoint from which a run starts. LangGraph's own reading of it after that is free. */
  readStart(config: RunnableConfig): Promise<CheckpointTuple | undefined>;
  /** Returns the checkpointer for one graph. It notes and checks whose state a thread holds. */
  forGraph(identity: GraphIdentity): BaseCheckpointSaver;
}

/** Returns the keeper that a checkpointer shows; undefined for a checkpointer of others. */
export function keeperOf(checkpointer: unknown): ThreadKeeper | undefined {
  const keeper: unknown = isRecord(checkpointer) ? Reflect.get(checkpointer, KEEPER) : undefined;
  return isKeeper(keeper) ? keeper : undefined;
}

function isKeeper(value: unknown): value is ThreadKeeper {
  const members = ["take", "readStart", "forGraph"];
  return isRecord(value) && isRecord(value.place) && members.every((name) => typeof value[name] === "function");
}
