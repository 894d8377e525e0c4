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
import { ThreadError } from "../../base/errors.js";
import { type Hold, holdIn } from "../guard/hold.js";
import { ThreadCheckpointer, unlessInUse } from "./checkpointer.js";
import { changedChannels, type GraphIdentity, stamp, valuesFor } from "./graph-identity.js";

/** A checkpoint that a run read before it began. */
interface Start {
  /** The id that it was asked for; empty for the newest one. */
  readonly id: string;
  readonly tuple: CheckpointTuple | undefined;
}

/**
 * A checkpointer for one graph. It notes the graph and the version of its state in each checkpoint. It brings the state
 * of an older version to the graph's version. It refuses the state of another graph or of a newer version.
 */
export class GraphCheckpointer extends ThreadCheckpointer {
  /** What runs read before they began. Nobody else writes to their threads. */
  readonly #starts = new WeakMap<Hold, Start>();

  /** @param of The checkpointer of the database. The two share all they know of threads. */
  constructor(
    of: ThreadCheckpointer,
    private readonly identity: GraphIdentity,
  ) {
    super(of.database, of.shared);
  }

  /**
   * Reads a checkpoint, or the newest one, with the state in the graph's version.
   *
   * @throws ThreadError "checkpoint-not-kept" if there is no checkpoint with the given id; "foreign-thread",
   *   NewerThreadError; all errors of `ThreadCheckpointer`.
   */
  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const start = this.#takeStart(config);
    if (start?.id === getCheckpointId(config) && !config.configurable?.checkpoint_ns) return start.tuple;
    const tuple = await super.getTuple(config);
    if (tuple !== undefined) return this.#migrate(config, tuple);
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
    for await (const tuple of super.list(config, options)) {
      yield { ...tuple, checkpoint: { ...tuple.checkpoint, channel_values: { ...this.#valuesOf(tuple) } } };
    }
  }

  override put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    this.#takeStart(config);
    return super.put(config, checkpoint, stamp(metadata, this.identity), newVersions);
  }

  override putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    this.#takeStart(config);
    return super.putWrites(config, writes, taskId);
  }

  protected override isPassing(channels: readonly string[]): boolean {
    return channels.some((channel) => this.identity.passing.has(channel));
  }

  /**
   * Writes the values of an older version in the form of today's version. The checkpoint keeps its id, so its pending
   * writes stay valid.
   */
  async #migrate(given: RunnableConfig, tuple: CheckpointTuple): Promise<CheckpointTuple> {
    const { checkpoint, metadata, config, parentConfig } = tuple;
    const channel_values = this.#valuesOf(tuple);
    const changed = changedChannels(checkpoint.channel_values, channel_values);
    if (changed.length === 0 || metadata === undefined) return tuple;
    const newVersions = Object.fromEntries(
      changed.map((channel) => [channel, this.getNextVersion(Number(checkpoint.channel_versions[channel] ?? 0))]),
    );
    const channel_versions = { ...checkpoint.channel_versions, ...newVersions };
    const migrated = { ...checkpoint, channel_values: { ...channel_values }, channel_versions };
    const parent = parentConfig?.configurable?.checkpoint_id;
    const at = { configurable: { ...given.configurable, ...config.configurable, checkpoint_id: parent } };
    await unlessInUse(this.put(at, migrated, metadata, newVersions));
    return { ...tuple, checkpoint: migrated, metadata: stamp(metadata, this.identity) };
  }

  #valuesOf(tuple: CheckpointTuple) {
    return valuesFor(this.identity, String(tuple.config.configurable?.thread_id), tuple);
  }
}
