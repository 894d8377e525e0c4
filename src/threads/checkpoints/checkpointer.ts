import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  getCheckpointId,
  maxChannelVersion,
  type PendingWrite,
  TASKS,
} from "@langchain/langgraph-checkpoint";
import { undefinedOn } from "../../base/attempted.js";
import { hasCode, ThreadError } from "../../base/errors.js";
import { type GraphIdentity, KEEPER, type Lease, leaseOf, type ThreadKeeper } from "../../core/run/keeper.js";
import { ENDED_CHANNEL } from "../../core/run/notes.js";
import { checkThreadId } from "../../graph/thread-id.js";
import { isAnswer } from "../../langgraph/pending-writes.js";
import type { Database } from "../databases/database.js";
import { ThreadGuard } from "../guard/guard.js";
import { holding } from "../guard/lease.js";
import { ThreadCaches } from "../values/cache.js";
import { type Place, readChannelValues } from "../values/read-channels.js";
import { channelStatements, encodeChannels, rememberChannels } from "../values/write-channels.js";
import {
  type CheckpointKey,
  encodeCheckpoint,
  listCheckpoints,
  readCheckpoint,
  type StoredCheckpoint,
} from "./checkpoint-rows.js";
import { readLastTurn, setAside } from "./damaged-checkpoints.js";
import { explainDamage } from "./explain-damage.js";
import { checkStamp, stamped } from "./graph-stamp.js";
import { JoinedWrites } from "./joined-writes.js";
import { encodeWrites, isChanged, readPendingWrites, writeStatements } from "./pending-writes.js";
import { markedWith, RunIdentity, runIdOf } from "./run-identity.js";
import { deleteStatements, threadStatement } from "./thread-row.js";

/** A checkpoint that a run read before it began. */
interface Start {
  /** The id that it was asked for; empty for the newest one. */
  readonly id: string;
  readonly tuple: CheckpointTuple | undefined;
}

/**
 * A LangGraph checkpointer over a {@link Database}.
 *
 * Each element of a list, such as a message or a step, is stored once in a thread, however many checkpoints and pending
 * writes contain it. So a thread grows with its content, and not with the square of its content.
 *
 * Versions never repeat, so the branches of a fork stay apart, and a cached value stays valid.
 *
 * A caller may change the returned values in place, without effect on other readers. A changed value is stored when it is
 * written again.
 *
 * The checkpointer for one graph notes the graph and the version of its state in each checkpoint, and refuses a state of
 * another graph or a newer version.
 */
export class ThreadCheckpointer extends BaseCheckpointSaver<number> {
  /** The guard that keeps two runs from using one thread at once. */
  readonly guard: ThreadGuard;
  readonly #writer: JoinedWrites;
  readonly #caches: ThreadCaches;
  /** What runs read before they began. Nobody else writes to their threads. */
  readonly #starts = new WeakMap<Lease, Start>();

  /**
   * @param shared The parts that all checkpointers of the database share.
   * @param identity The graph that this checkpointer is for. Without it, nothing is noted and nothing is checked.
   */
  constructor(
    readonly database: Database,
    readonly shared = sharedParts(database),
    private readonly identity?: GraphIdentity,
  ) {
    super();
    this.guard = shared.guard;
    this.#writer = shared.writer;
    this.#caches = shared.caches;
  }

  /** What an agent asks this checkpointer for. */
  get [KEEPER](): ThreadKeeper {
    return {
      place: this.shared,
      take: (thread, strategy, signal) => this.guard.take(thread, strategy, signal),
      readStart: (config) => this.readStart(config),
      forGraph: (identity) => this.forGraph(identity),
    };
  }

  /** Returns the checkpointer for one graph. The two share all they know of threads. */
  forGraph(identity: GraphIdentity): ThreadCheckpointer {
    return new ThreadCheckpointer(this.database, this.shared, identity);
  }

  /**
   * Returns a version drawn at random between two whole numbers, so that two branches never have the same version.
   */
  override getNextVersion(current: number | undefined): number {
    return Math.floor(current ?? 0) + 1 + Math.random();
  }

  /**
   * Reads a checkpoint, or the newest one. A newest checkpoint that is damaged is set aside. The newest checkpoint is
   * then the last one of its turn that can be read. A thread that would lose more than a turn in this way stays as it
   * is.
   *
   * @throws ThreadError "invalid-thread-id" if the thread id is given and invalid; "damaged-thread" if the checkpoint
   *   with the given id, or every checkpoint of the last turn, cannot be read. For one graph also ThreadError
   *   "checkpoint-not-kept" if there is no checkpoint with the given id, ThreadError "foreign-thread", "newer-thread".
   */
  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    if (config.configurable?.thread_id === undefined) return undefined;
    const start = this.#takeStart(config);
    const id = getCheckpointId(config);
    if (start?.id === id && namespaceOf(config) === "") return start.tuple;
    const tuple = await this.#readHealed(config);
    if (this.identity === undefined) return tuple;
    if (tuple !== undefined) checkStamp(tuple, this.identity);
    // A pruned checkpoint must not read as an empty state: the thread would seem to begin here.
    else if (id !== "" && namespaceOf(config) === "")
      throw new ThreadError("checkpoint-not-kept", config.configurable.thread_id, id);
    return tuple;
  }

  /**
   * Reads like {@link getTuple}, and keeps the result for the next `getTuple` of the same run, because LangGraph reads the
   * same checkpoint when the run starts. A write of the run drops the kept result.
   */
  async readStart(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const tuple = await this.getTuple(config);
    const lease = leaseOf(config);
    if (lease !== undefined) this.#starts.set(lease, { id: getCheckpointId(config), tuple });
    return tuple;
  }

  #takeStart(config: RunnableConfig): Start | undefined {
    const lease = leaseOf(config);
    const start = lease && this.#starts.get(lease);
    if (lease !== undefined) this.#starts.delete(lease);
    return start;
  }

  async #readHealed(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const thread = checkThreadId(config.configurable?.thread_id);
    this.#caches.shrink();
    await this.#writer.settle(thread);
    const key = { thread, namespace: namespaceOf(config), id: getCheckpointId(config) };
    return this.#readTuple(key).catch((damage: unknown) => this.#goBack(key, leaseOf(config)?.owner, damage));
  }

  async #readTuple(key: CheckpointKey): Promise<CheckpointTuple | undefined> {
    return explainDamage(this.database, key.thread, async () => {
      const stored = await readCheckpoint(this.database, key);
      if (stored === undefined) this.#caches.forgetAbsent(key.thread, key.id);
      return stored && this.#toTuple(stored);
    });
  }

  /** Sets the newest checkpoints of the last turn aside until one can be read. Notes their ids in that one. */
  async #goBack(
    { thread, namespace, id }: CheckpointKey,
    owner: string | undefined,
    damage: unknown,
  ): Promise<CheckpointTuple | undefined> {
    if (id !== "" || !hasCode(damage, "damaged-thread")) throw damage;
    const damaged: string[] = [];
    for (const id of await readLastTurn(this.database, thread, namespace)) {
      const tuple = await this.#readTuple({ thread, namespace, id }).catch(undefinedOn("damaged-thread"));
      if (tuple === undefined) {
        damaged.push(id);
        continue;
      }
      // A checkpoint that could not be read a moment ago may have been pruned since. Nothing is damaged then.
      if (damaged.length === 0) return tuple;
      const statements = setAside({ thread, namespace, id }, tuple.metadata, damaged);
      const stored = this.#writer.store({ thread, owner }, { statements }).then(() => true);
      // A run that has the thread mends it by itself.
      return (await stored.catch(undefinedOn("thread-in-use")))
        ? this.#readTuple({ thread, namespace, id: "" })
        : tuple;
    }
    throw damage;
  }

  /**
   * Lists the checkpoints of a thread, the newest first. Lists those of all threads if there is no thread id.
   *
   * @throws ThreadError "invalid-thread-id" if the thread id is given and invalid.
   */
  override async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { thread_id, checkpoint_ns, checkpoint_id } = config.configurable ?? {};
    let left = options.limit ?? Number.POSITIVE_INFINITY;
    if (left <= 0) return;
    if (thread_id !== undefined) await this.#writer.settle(checkThreadId(thread_id));
    const found = listCheckpoints(this.database, {
      thread: thread_id === undefined ? undefined : checkThreadId(thread_id),
      namespace: checkpoint_ns,
      id: checkpoint_id,
      before: options.before && (getCheckpointId(options.before) || undefined),
      metadata: options.filter,
    });
    for await (const stored of found) {
      const tuple = await explainDamage(this.database, stored.key.thread, () => this.#toTuple(stored));
      if (this.identity) checkStamp(tuple, this.identity);
      yield tuple;
      left -= 1;
      if (left <= 0) return;
    }
  }

  async #toTuple({ key, parent, checkpoint, metadata, pruned }: StoredCheckpoint): Promise<CheckpointTuple> {
    this.#caches.forgetPruned(key.thread, pruned);
    const place = this.#placeOf(key.thread, key.namespace);
    const [channel_values, pendingWrites] = await Promise.all([
      readChannelValues(this.database, place, checkpoint.channel_versions),
      readPendingWrites(this.database, place, key.id),
    ]);
    place.cache.addCheckpoint(key.id, { ...checkpoint.channel_versions });
    const tuple: CheckpointTuple = {
      config: configOf(key.thread, key.namespace, key.id),
      checkpoint: { ...checkpoint, channel_values },
      metadata,
      pendingWrites,
    };
    if (parent === undefined) return tuple;
    if (checkpoint.v < 4) await this.#migratePendingSends(tuple.checkpoint, place, parent);
    return { ...tuple, parentConfig: configOf(key.thread, key.namespace, parent) };
  }

  /**
   * Moves pending sends to where LangGraph expects them. Before version 4 of its format, they were kept with the
   * checkpoint before.
   */
  async #migratePendingSends(checkpoint: Checkpoint, place: Place, parent: string): Promise<void> {
    const writes = await readPendingWrites(this.database, place, parent);
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_values[TASKS] = writes.filter(([, channel]) => channel === TASKS).map(([, , value]) => value);
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined);
  }

  /**
   * Stores a checkpoint.
   *
   * @throws ThreadError "invalid-thread-id" if the thread id is missing or invalid; TypeError if a version of a
   *   channel is no number; "thread-taken-over" if the run that writes lost its thread; ThreadInUseError if that run
   *   has no lease on the thread, and another run has one.
   */
  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    given: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    this.#takeStart(config);
    const run = runIdOf(config.configurable);
    const metadata = markedWith(run, this.identity ? stamped(given, this.identity) : given);
    const place = this.#placeOf(checkThreadId(config.configurable?.thread_id), namespaceOf(config));
    const key = { thread: place.thread, namespace: place.namespace, id: checkpoint.id };
    const parent: string | undefined = config.configurable?.checkpoint_id;
    // With "exit" no writes came before, which show what a node changed in place.
    const mayHaveChanged = "durability" in config && config.durability === "exit";
    const changed = encodeChannels(place, checkpoint, newVersions, parent, { mayHaveChanged });
    const row = encodeCheckpoint(key, parent, checkpoint, metadata);
    const rows = {
      statements: [row.statement, ...channelStatements(place, changed)],
      items: [row.shape, ...changed.flatMap(({ value }) => value?.items ?? [])],
    };
    const set = changed.filter(({ value }) => value !== undefined).map(({ channel }) => channel);
    const writing = { thread: place.thread, owner: leaseOf(config)?.owner };
    const turn = "turn" in newVersions ? checkpoint.channel_values : {};
    const { thread, namespace } = place;
    const note = namespace ? threadStatement(thread, turn) : threadStatement(thread, turn, metadata);
    const begun = namespace ? [] : this.shared.runs.statements(run, { thread });
    const passed = { ...rows, statements: [...begun, ...rows.statements] };
    const noted = { ...passed, statements: [note, ...passed.statements] };
    const made = { parent_id: parent, step: metadata.step, source: metadata.source };
    if (writing.owner !== undefined && this.#isPassing(set)) {
      // A run may end before the next rows, and a thread that has no row of its own cannot be read.
      const stored = this.#writer.storeWithNext(writing, parent === undefined ? noted : passed);
      this.shared.runs.note(run, thread, { ...key, values: storedValues(checkpoint), made, stored });
    } else {
      const stored = this.#writer.store(writing, noted);
      this.shared.runs.note(run, thread, { ...key, values: storedValues(checkpoint), made, stored });
      await stored;
      if (namespace === "") {
        this.guard.noteStored(writing.owner);
        this.shared.runs.remember(run, thread);
      }
    }
    rememberChannels(place, checkpoint, changed);
    return configOf(key.thread, key.namespace, key.id);
  }

  /**
   * Stores the pending writes of a task.
   *
   * @throws ThreadError "invalid-thread-id" if the thread id is missing or invalid; "thread-taken-over" if the run
   *   that writes lost its thread; ThreadInUseError if that run has no lease on the thread, and another run has one.
   */
  override async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    this.#takeStart(config);
    const place = this.#placeOf(checkThreadId(config.configurable?.thread_id), namespaceOf(config));
    const id: unknown = config.configurable?.checkpoint_id;
    if (typeof id !== "string") throw new TypeError("The writes of a task need the checkpoint_id they belong to.");
    const encoded = encodeWrites(place, id, writes);
    // A node may change an element of the state in place and write it again. The cache must not take the changed element for
    // the old one.
    if (encoded.some((write) => isChanged(write, place))) this.#caches.forget(place.thread);
    const { thread, namespace } = place;
    const run = namespace === "" ? runIdOf(config.configurable) : undefined;
    const rows = {
      statements: [
        ...this.shared.runs.statements(run, { thread, checkpoint: id }),
        ...writeStatements(place, id, taskId, encoded),
      ],
      items: encoded.flatMap(({ value }) => value.items),
      synced: !writes.every(([channel]) => channel === ENDED_CHANNEL),
    };
    const writing = { thread: place.thread, owner: leaseOf(config)?.owner };
    const isPassing = writing.owner !== undefined && this.#isPassing(writes.map(([channel]) => channel));
    if (isPassing) void this.#writer.storeWithNext(writing, rows);
    else await this.#writer.storeSoon(writing, rows);
    if (isAnswer(writes)) this.guard.noteStored(writing.owner);
  }

  /** Tells whether writes to these channels may wait, to be stored together with the writes of the next super-step. */
  #isPassing(channels: readonly string[]): boolean {
    return channels.some((channel) => this.identity?.passing.has(channel));
  }

  /**
   * Deletes a thread with all its namespaces.
   *
   * @throws ThreadError "invalid-thread-id" if the id is invalid; ThreadInUseError if a run uses the thread.
   */
  override async deleteThread(threadId: string): Promise<void> {
    const thread = checkThreadId(threadId);
    await holding(this.guard.take(thread), async (lease) => {
      this.#caches.forget(thread);
      await this.#writer.store(lease, { statements: deleteStatements(thread) });
    });
    await this.database.shrink?.();
  }

  #placeOf(thread: string, namespace: string): Place {
    return { thread, namespace, cache: this.#caches.of(thread, namespace) };
  }
}

/**
 * Makes the parts that all checkpointers of a database share.
 *
 * @param remembered The number of characters of its threads that they keep in memory, about; some millions by default.
 */
export function sharedParts(database: Database, remembered?: number) {
  const writer: JoinedWrites = new JoinedWrites(({ thread, owner }, statements, synced) =>
    guard.write(thread, owner, statements, { synced, grouped: true }),
  );
  // The guard stores all that waits before it releases a thread.
  const guard = new ThreadGuard(database, undefined, (lease) => writer.end(lease));
  return { guard, writer, caches: new ThreadCaches(remembered), runs: new RunIdentity(database) };
}

function storedValues({ channel_values, channel_versions }: Checkpoint): Record<string, unknown> {
  return Object.fromEntries(Object.entries(channel_values).filter(([channel]) => channel in channel_versions));
}

function namespaceOf(config: RunnableConfig): string {
  return config.configurable?.checkpoint_ns ?? "";
}

function configOf(thread: string, namespace: string, id: string): RunnableConfig {
  return { configurable: { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: id } };
}
