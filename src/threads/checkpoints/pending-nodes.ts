import { TASKS } from "@langchain/langgraph-checkpoint";
import { BRANCH_PREFIX, INPUT_CHANNEL } from "../../base/langgraph-names.js";
import { type Cell, type Database, numberOf, textOf } from "../databases/database.js";
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

/**
 * Reads which triggers of a thread are not empty at which versions.
 *
 * @param versions The versions of one checkpoint. Only these are read; all versions of the thread by default.
 * @returns A function that tells whether a channel is not empty at a version.
 */
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
