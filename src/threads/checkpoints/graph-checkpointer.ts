import type { RunnableConfig } from "@langchain/core/runnables";
import {
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  getCheckpointId,
  type PendingWrite,
} from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { NewerThreadError, ThreadError } from "../../base/errors.js";
import { type Hold, holdIn } from "../guard/hold.js";
import { ThreadCheckpointer } from "./checkpointer.js";

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

/** The part of a checkpoint's metadata that names the graph and the version of its state. */
const stampSchema = z.object({ graph: z.string(), state_version: z.number().int() });

/** A checkpoint that a run read before it began. */
interface Start {
  /** The id that it was asked for; empty for the newest one. */
  readonly id: string;
  readonly tuple: CheckpointTuple | undefined;
}

/**
 * A checkpointer for one graph. It notes the graph and the version of its state in each checkpoint. It refuses the state of
 * another graph or of a newer version.
 */
export class GraphCheckpointer extends ThreadCheckpointer {
  /** What runs read before they began. Nobody else writes to their threads. */
  readonly #starts = new WeakMap<Hold, Start>();

  /** @param of The checkpointer of the database. The two share all they know of threads. */
  constructor(
    of: ThreadCheckpointer,
    private readonly identity: GraphIdentity,
  ) {
    super(of.database, of.shared, of.settings);
  }

  /**
   * Reads a checkpoint, or the newest one.
   *
   * @throws ThreadError "checkpoint-not-kept" if there is no checkpoint with the given id; ThreadError "foreign-thread", NewerThreadError;
   *   all errors of `ThreadCheckpointer`.
   */
  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const start = this.#takeStart(config);
    if (start?.id === getCheckpointId(config) && !config.configurable?.checkpoint_ns) return start.tuple;
    const tuple = await super.getTuple(config);
    if (tuple !== undefined) return this.#checked(tuple);
    const { thread_id, checkpoint_ns = "" } = config.configurable ?? {};
    const id = getCheckpointId(config);
    // A pruned checkpoint must not read as an empty state: the thread would seem to begin here.
    if (thread_id !== undefined && id !== "" && checkpoint_ns === "")
      throw new ThreadError("checkpoint-not-kept", thread_id, id);
    return undefined;
  }

  /**
   * Reads as {@link getTuple}, and keeps the result for the next call of it by the same run. LangGraph reads where a run
   * starts, too. A write of the run drops what was kept.
   */
  async readStart(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const tuple = await this.getTuple(config);
    const hold = holdIn(config, config.configurable?.thread_id);
    if (hold !== undefined) this.#starts.set(hold, { id: getCheckpointId(config), tuple });
    return tuple;
  }

  #takeStart(config: RunnableConfig): Start | undefined {
    const hold = holdIn(config, config.configurable?.thread_id);
    const start = hold && this.#starts.get(hold);
    if (hold !== undefined) this.#starts.delete(hold);
    return start;
  }

  override async *list(config: RunnableConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple> {
    for await (const tuple of super.list(config, options)) yield this.#checked(tuple);
  }

  override put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    this.#takeStart(config);
    const stamp: z.infer<typeof stampSchema> = { graph: this.identity.name, state_version: this.identity.stateVersion };
    return super.put(config, checkpoint, { ...metadata, ...stamp }, newVersions);
  }

  override putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    this.#takeStart(config);
    return super.putWrites(config, writes, taskId);
  }

  protected override isPassing(channels: readonly string[]): boolean {
    return channels.some((channel) => this.identity.passing.has(channel));
  }

  /** Checks whose state a checkpoint holds. The first migration of a state, from version 1 to 2, would come here. */
  #checked(tuple: CheckpointTuple): CheckpointTuple {
    const { name, stateVersion } = this.identity;
    const thread = String(tuple.config.configurable?.thread_id);
    const stamp = stampSchema.safeParse(tuple.metadata).data;
    if (stamp?.graph !== name) throw new ThreadError("foreign-thread", thread, whyForeign(stamp?.graph, name));
    if (stamp.state_version > stateVersion) throw new NewerThreadError(thread, stamp.state_version, stateVersion);
    return tuple;
  }
}

/** @param owner The graph that the thread belongs to; undefined if its checkpoints do not name it. */
function whyForeign(owner: string | undefined, graph: string): string {
  if (owner === undefined) return "holds the state of a graph that is no agent of Glassloop's. Use another thread id.";
  const other = `Open it with createAgent({ name: "${owner}" }), or use another thread id.`;
  return `belongs to the graph "${owner}", and this agent is "${graph}". ${other}`;
}
