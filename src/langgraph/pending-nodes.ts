import { type Checkpoint, type CheckpointTuple, TASKS } from "@langchain/langgraph-checkpoint";
import { BRANCH_PREFIX, INPUT_CHANNEL } from "./names.js";

type Versions = Pick<Checkpoint, "channel_versions" | "versions_seen">;

/** The channels that make nodes run, apart from those of {@link triggerOf}. */
export const namedTriggers: readonly string[] = [INPUT_CHANNEL, TASKS];

/** Tells whether a channel makes nodes run. */
export function isTrigger(channel: string): boolean {
  return namedTriggers.includes(channel) || channel.startsWith(BRANCH_PREFIX);
}

/**
 * Finds the nodes that LangGraph would run next from a checkpoint, without the graph. Such a node has a trigger channel with
 * a value that is newer than the last one that the node saw.
 *
 * @param isSet Tells whether a channel is not empty at a version.
 */
export function pendingNodes({ channel_versions, versions_seen }: Versions, isSet: IsSet): string[] {
  return Object.entries(channel_versions).flatMap(([channel, version]) => {
    if (!isTrigger(channel) || !isSet(channel, version)) return [];
    const node = channel.startsWith(BRANCH_PREFIX) ? channel.slice(BRANCH_PREFIX.length) : channel;
    const seen = versions_seen[node]?.[channel];
    return seen === undefined || version > seen ? [node] : [];
  });
}

/** Tells whether a channel is not empty at a version. */
export type IsSet = (channel: string, version: number | string) => boolean;

/** Returns the nodes that would run next from a checkpoint. */
export function nextNodes({ checkpoint }: Pick<CheckpointTuple, "checkpoint">): string[] {
  return pendingNodes(checkpoint, (channel) => channel in checkpoint.channel_values);
}

/**
 * Returns a packet of LangGraph's class `Send` as data, which LangGraph takes for a packet where it expects one. The class may
 * come from another copy of the package.
 *
 * @returns Undefined for anything else.
 */
export function sendData(value: object): object | undefined {
  if (!("lg_name" in value && value.lg_name === "Send" && "node" in value && "args" in value)) return undefined;
  const { node, args } = value;
  return { node, args, ...("timeout" in value && value.timeout !== undefined && { timeout: value.timeout }) };
}
