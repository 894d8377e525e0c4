import { TASKS } from "@langchain/langgraph-checkpoint";
import { BRANCH_PREFIX, INPUT_CHANNEL } from "../../base/langgraph-names.js";
import { type Cell, type Database, numberOf, textOf } from "../databases/database.js";
import type { CheckpointVersions } from "./checkpoint-body.js";

/** The channels that make nodes run. */
export function isTrigger(channel: string): boolean {
  return channel === INPUT_CHANNEL || channel === TASKS || channel.startsWith(BRANCH_PREFIX);
}

/**
 * The nodes that LangGraph would run next from a checkpoint, worked out without the graph: those with a trigger that holds
 * something and is newer than what the node saw.
 *
 * @param isSet Whether a channel holds something at a version.
 */
export function pendingNodes(
  { channel_versions, versions_seen }: CheckpointVersions,
  isSet: (channel: string, version: number | string) => boolean,
): string[] {
  return Object.entries(channel_versions).flatMap(([channel, version]) => {
    if (!isTrigger(channel) || !isSet(channel, version)) return [];
    const node = channel.startsWith(BRANCH_PREFIX) ? channel.slice(BRANCH_PREFIX.length) : channel;
    const seen = versions_seen[node]?.[channel];
    return seen === undefined || version > seen ? [node] : [];
  });
}

/** Which triggers of a thread hold something at which versions; only those that a checkpoint names, when one is given. */
export async function readTriggers(
  database: Database,
  thread: string,
  versions?: CheckpointVersions["channel_versions"],
): Promise<(channel: string, version: number | string) => boolean> {
  const named = Object.entries(versions ?? {}).filter(([channel]) => isTrigger(channel));
  const parameters: Cell[] = [thread, ...named.flat()];
  const places = named.map((_, index) => `(channel = $${2 * index + 2} and version = $${2 * index + 3})`);
  const condition = versions === undefined ? isTriggerSql : `(${places.join(" or ")})`;
  if (versions !== undefined && named.length === 0) return () => false;
  const rows = await database.all(
    `select channel, version from glassloop_versions where thread = $1 and namespace = '' and ${condition}`,
    parameters,
  );
  const set = new Set(rows.map((row) => `${textOf(row, "channel")}\0${numberOf(row, "version")}`));
  return (channel, version) => set.has(`${channel}\0${version}`);
}

const isTriggerSql = `(channel in ('${INPUT_CHANNEL}', '${TASKS}') or channel like '${BRANCH_PREFIX}%')`;
