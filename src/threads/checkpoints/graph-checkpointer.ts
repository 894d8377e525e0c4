import type { RunnableConfig } from "@langchain/core/runnables";
import {
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  getCheckpointId,
} from "@langchain/langgraph-checkpoint";
import { CheckpointNotKeptError } from "../../base/errors.js";
import { ThreadCheckpointer } from "./checkpointer.js";
import { changedChannels, type GraphIdentity, stamp, valuesFor } from "./graph-identity.js";

/**
 * A checkpointer for one graph: it notes in each checkpoint whose state it holds, brings the state of an older version to
 * the graph's, and refuses what is another graph's or a newer version's.
 */
export class GraphCheckpointer extends ThreadCheckpointer {
  /** @param of The checkpointer of the database, with which this shares all it knows of threads. */
  constructor(
    of: ThreadCheckpointer,
    private readonly identity: GraphIdentity,
  ) {
    super(of.database, of.shared);
  }

  /**
   * @throws CheckpointNotKeptError when there is no checkpoint with the given id; ForeignThreadError, NewerThreadError; what
   *   `ThreadCheckpointer` throws.
   */
  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const tuple = await super.getTuple(config);
    if (tuple !== undefined) return this.#migrate(tuple);
    const { thread_id, checkpoint_ns = "" } = config.configurable ?? {};
    const id = getCheckpointId(config);
    // An empty state in place of one that was pruned would look as if the thread began here.
    if (thread_id !== undefined && id !== "" && checkpoint_ns === "") throw new CheckpointNotKeptError(thread_id, id);
    return undefined;
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
    return super.put(config, checkpoint, stamp(metadata, this.identity), newVersions);
  }

  protected override isPassing(channels: readonly string[]): boolean {
    return channels.some((channel) => this.identity.passing.has(channel));
  }

  /** Writes the values of an older version as today's, in place: what was on its way to the next checkpoint stays so. */
  async #migrate(tuple: CheckpointTuple): Promise<CheckpointTuple> {
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
    await this.put(
      { configurable: { ...config.configurable, checkpoint_id: parent } },
      migrated,
      metadata,
      newVersions,
    );
    return { ...tuple, checkpoint: migrated, metadata: stamp(metadata, this.identity) };
  }

  #valuesOf(tuple: CheckpointTuple) {
    return valuesFor(this.identity, String(tuple.config.configurable?.thread_id), tuple);
  }
}
