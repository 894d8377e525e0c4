import type { CheckpointMetadata, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { ForeignThreadError, NewerThreadError } from "../../base/errors.js";
import { BRANCH_PREFIX, OWN_CHANNEL_PREFIX } from "../../base/langgraph-names.js";

/** The values of a state's channels. */
export type ChannelValues = Readonly<Record<string, unknown>>;

/** Whose state a thread holds. */
export interface GraphIdentity {
  /** The graph's name. */
  readonly name: string;
  /** The version of its state, from 1. */
  readonly stateVersion: number;
  /** The channels of its state. */
  readonly channels: ReadonlySet<string>;
  /**
   * The channels of whose value the next super-step only makes something else, without any effect: what is written with one
   * of them may be stored together with that. Whoever loses one then loses both, and neither more nor less.
   */
  readonly passing: ReadonlySet<string>;
  /** What makes a version's values those of the next one. A channel that is left out becomes empty. */
  readonly migrations: Readonly<Record<number, (values: ChannelValues) => ChannelValues>>;
}

/** A checkpoint's metadata that say whose state it is. Checkpoints from before there was a stamp are of version 1. */
const stampSchema = z.object({ graph: z.string(), state_version: z.number().int() });

/** The metadata of a checkpoint that a graph writes. */
export function stamp(metadata: CheckpointMetadata, { name, stateVersion }: GraphIdentity): CheckpointMetadata {
  const stamped: CheckpointMetadata & z.infer<typeof stampSchema> = {
    ...metadata,
    graph: name,
    state_version: stateVersion,
  };
  return stamped;
}

/**
 * The values of a checkpoint as a graph's state has them today.
 *
 * @param thread The thread, as errors name it.
 * @returns The checkpoint's own values when they are of this version.
 * @throws ForeignThreadError when it is another graph's; NewerThreadError when its version is not known yet.
 */
export function valuesFor(
  identity: GraphIdentity,
  thread: string,
  { checkpoint, metadata }: Pick<CheckpointTuple, "checkpoint" | "metadata">,
): ChannelValues {
  const stamped = stampSchema.safeParse(metadata).data;
  if (stamped === undefined && !Object.keys(checkpoint.channel_versions).every((name) => isKnown(identity, name))) {
    throw new ForeignThreadError(thread, undefined, identity.name);
  }
  const { graph, state_version } = stamped ?? { graph: identity.name, state_version: 1 };
  if (graph !== identity.name) throw new ForeignThreadError(thread, graph, identity.name);
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

/** The channels whose values are not the same in both. */
export function changedChannels(before: ChannelValues, after: ChannelValues): string[] {
  if (before === after) return [];
  const channels = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...channels].filter((channel) => before[channel] !== after[channel]);
}
