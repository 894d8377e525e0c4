import { triggerOf } from "../../langgraph/names.js";
import { type IsSet, isTrigger, namedTriggers, pendingNodes } from "../../langgraph/pending-nodes.js";
import { type Database, numberOf, type Row, rowsOf, textOf } from "../databases/database.js";
import type { CheckpointVersions } from "./checkpoint-body.js";

/**
 * Finds the nodes that LangGraph would run next in threads. One query reads it for all of them.
 *
 * @param newest The versions in the newest checkpoint of each thread.
 * @returns The nodes by thread.
 */
export async function readPendingNodes(
  database: Database,
  newest: ReadonlyMap<string, CheckpointVersions>,
): Promise<Map<string, string[]>> {
  const steps = [...newest].flatMap(([thread, versions]) => [...stepsOf(versions)].map((step) => [thread, step]));
  const rows = await database.all(stepQuery, [rowsOf(steps)]);
  const set = new Set(rows.map((row) => `${textOf(row, "thread")}\0${keyOf(row)}`));
  return new Map(
    [...newest].map(([thread, versions]) => [
      thread,
      pendingNodes(versions, (channel, version) => set.has(`${thread}\0${channel}\0${version}`)),
    ]),
  );
}

/** Returns the whole parts of the triggers' versions. SQLite may read a longer number from JSON not to the last digit. */
function stepsOf({ channel_versions }: CheckpointVersions): Set<number> {
  const triggers = Object.entries(channel_versions).filter(([channel]) => isTrigger(channel));
  return new Set(triggers.map(([, version]) => Math.floor(Number(version))));
}

const named = namedTriggers.map((channel) => `'${channel}'`).join(", ");
const trigger = `(channel in (${named}) or channel like '${triggerOf("%")}')`;
const step = "cast(wanted.value ->> 1 as double precision)";
// After "cross join" SQLite begins with the list. It could begin with all versions of all threads.
const stepQuery = `select thread, channel, version from json_array_elements($1) wanted cross join glassloop_versions
  where thread = wanted.value ->> 0 and namespace = '' and version >= ${step} and version < ${step} + 1 and ${trigger}`;

/** The query for the triggers of a thread that are not empty, at all versions. {@link toTriggers} reads its rows. */
export const triggerQuery = `select channel, version from glassloop_versions
  where thread = $1 and namespace = '' and ${trigger}`;

export function toTriggers(rows: readonly Row[]): IsSet {
  const set = new Set(rows.map(keyOf));
  return (channel, version) => set.has(`${channel}\0${version}`);
}

function keyOf(row: Row): string {
  return `${textOf(row, "channel")}\0${numberOf(row, "version")}`;
}
