import { TASKS } from "@langchain/langgraph-checkpoint";
import { BRANCH_PREFIX, INPUT_CHANNEL } from "../../base/langgraph-names.js";
import { type Database, numberOf, type Row, textOf } from "../databases/database.js";
import type { CheckpointVersions } from "./checkpoint-body.js";

/** Tells whether a channel makes nodes run. */
export function isTrigger(channel: string): boolean {
  return channel === INPUT_CHANNEL || channel === TASKS || channel.startsWith(BRANCH_PREFIX);
}

/**
 * Finds the nodes that LangGraph would run next from a checkpoint, without the graph. Such a node has a trigger that is
 * not empty, and that is newer than the one it saw last.
 *
 * @param isSet Tells whether a channel is not empty at a version.
 */
export function pendingNodes({ channel_versions, versions_seen }: CheckpointVersions, isSet: IsSet): string[] {
  return Object.entries(channel_versions).flatMap(([channel, version]) => {
    if (!isTrigger(channel) || !isSet(channel, version)) return [];
    const node = channel.startsWith(BRANCH_PREFIX) ? channel.slice(BRANCH_PREFIX.length) : channel;
    const seen = versions_seen[node]?.[channel];
    return seen === undefined || version > seen ? [node] : [];
  });
}

/** Tells whether a channel is not empty at a version. */
export type IsSet = (channel: string, version: number | string) => boolean;

/** Reads which triggers are not empty at the versions of one checkpoint. */
export async function readTriggers(
  database: Database,
  thread: string,
  versions: CheckpointVersions["channel_versions"],
): Promise<IsSet> {
  const named = Object.entries(versions).filter(([channel]) => isTrigger(channel));
  if (named.length === 0) return () => false;
  const places = named.map((_, index) => `(channel = $${2 * index + 2} and version = $${2 * index + 3})`);
  return toTriggers(await database.all(`${select} and (${places.join(" or ")})`, [thread, ...named.flat()]));
}

const select = "select channel, version from glassloop_versions where thread = $1 and namespace = ''";

/** The query for the triggers of a thread that are not empty, at all versions. {@link toTriggers} reads its rows. */
export const triggerQuery = `${select}
  and (channel in ('${INPUT_CHANNEL}', '${TASKS}') or channel like '${BRANCH_PREFIX}%')`;

export function toTriggers(rows: readonly Row[]): IsSet {
  const set = new Set(rows.map((row) => `${textOf(row, "channel")}\0${numberOf(row, "version")}`));
  return (channel, version) => set.has(`${channel}\0${version}`);
}
