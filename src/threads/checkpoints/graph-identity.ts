import type { CheckpointMetadata, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { NewerThreadError, ThreadError } from "../../base/errors.js";
import { BRANCH_PREFIX, OWN_CHANNEL_PREFIX } from "../../base/langgraph-names.js";

/** The values of a state's channels. */
export type ChannelValues = Readonly<Record<string, unknown>>;

/** The graph whose state a thread holds. */
export interface GraphIdentity {
  /** The graph's name. */
  readonly name: string;
  /** The version of the graph's state, from 1. */
  readonly stateVersion: number;
  /** The channels of the graph's state. */
  readonly channels: ReadonlySet<string>;
  /**
   * The channels that only pass a value on to the next super-step, which has no effects. Example: the trigger of the
   * node `parse`, which only reads the model's reply. Writes to such a channel may be stored together with the writes
   * of the next super-step. A crash then loses both, and neither more nor less.
   */
  readonly passing: ReadonlySet<string>;
  /**
   * The functions that turn the values of a version into those of the next one. A channel that a function leaves out
   * becomes empty.
   */
  readonly migrations: Readonly<Record<number, (values: ChannelValues) => ChannelValues>>;
}

/**
 * The part of a checkpoint's metadata that names the graph and its version. A checkpoint without it is of version 1.
 */
const stampSchema = z.object({ graph: z.string(), state_version: z.number().int() });

/** Returns the metadata of a checkpoint that a graph writes, with the graph's name and version. */
export function stamp(metadata: CheckpointMetadata, { name, stateVersion }: GraphIdentity): CheckpointMetadata {
  const stamped: CheckpointMetadata & z.infer<typeof stampSchema> = {
    ...metadata,
    graph: name,
    state_version: stateVersion,
  };
  return stamped;
}

/**
 * Returns the values of a checkpoint in the form of the graph's version.
 *
 * @param thread The thread's name for error messages.
 * @returns The checkpoint's own values if they are of this version.
 * @throws ThreadError "foreign-thread" if the state is another graph's; NewerThreadError if its version is newer than
 *   the graph's.
 */
export function valuesFor(
  identity: GraphIdentity,
  thread: string,
  { checkpoint, metadata }: Pick<CheckpointTuple, "checkpoint" | "metadata">,
): ChannelValues {
  const stamped = stampSchema.safeParse(metadata).data;
  if (stamped === undefined && !Object.keys(checkpoint.channel_versions).every((name) => isKnown(identity, name))) {
    const reason = "holds the state of a graph that is no agent of Glassloop's. Use another thread id.";
    throw new ThreadError("foreign-thread", thread, reason);
  }
  const { graph, state_version } = stamped ?? { graph: identity.name, state_version: 1 };
  if (graph !== identity.name) {
    const reason =
      `belongs to the graph "${graph}", and this agent is "${identity.name}". ` +
      `Open it with createAgent({ name: "${graph}" }), or use another thread id.`;
    throw new ThreadError("foreign-thread", thread, reason);
  }
  if (state_version > identity.stateVersion) throw new NewerThreadError(thread, state_version, identity.stateVersion);
  let values: ChannelValues = checkpoint.channel_values;
  for (let version = state_version; version < identity.stateVersion; version += 1) {
    values = identity.migrations[version]?.(values) ?? values;
  }
  return values;
}

function isKnown({ channels }: GraphIdentity, channel: string): boolean {
  return channels.has(channel) || channel.startsWith(OWN_CHANNEL_PREFIX) || channel.startsWith(BRANCH_PREFIX);
}

/** Returns the channels whose values differ between the two. */
export function changedChannels(before: ChannelValues, after: ChannelValues): string[] {
  if (before === after) return [];
  const channels = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...channels].filter((channel) => before[channel] !== after[channel]);
}
