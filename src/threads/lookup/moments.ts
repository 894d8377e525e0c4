import { z } from "zod";
import { INPUT_CHANNEL } from "../../langgraph/names.js";
import { isTrigger, pendingNodes } from "../../langgraph/pending-nodes.js";
import { type CheckpointRow, checkpointColumns, toCheckpointRow } from "../checkpoints/thread-content.js";
import { type Database, numberOf, optionalTextOf, rowsOf, textOf } from "../databases/database.js";
import { readBodies } from "../values/read-channels.js";
import { CheckpointTree, noteOf } from "./checkpoint-tree.js";

/** A checkpoint of a thread, with what it says of its turn, and without what the turn did. */
export interface Moment extends CheckpointRow {
  readonly versions: ReturnType<typeof toCheckpointRow>[number]["versions"];
  /** The nodes that run next. */
  readonly next: readonly string[];
  /** The number of its turn; 0 for a thread of a graph that is not an agent's. */
  readonly turn: number;
  /** True before the first node of the turn has run: the state is still that of the turn before. */
  readonly isBeginning: boolean;
  /** The values of `turn` and of the other channels that were asked for. A value with a long list is left out. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** The first node of a turn. */
const FIRST_NODE = "rephrase-question";
const beginnings = new Set([INPUT_CHANNEL, FIRST_NODE]);

/** Tells whether the first node of a turn is next. Before it has run, the state is still that of the turn before. */
export function isBeginning(next: readonly string[]): boolean {
  return next.some((node) => beginnings.has(node));
}

/** Reads how the checkpoints of a thread's main graph follow one another, and nothing else of them. */
export async function readTree(database: Database, thread: string) {
  const query = "select id, parent from glassloop_checkpoints where thread = $1 and namespace = '' order by sequence";
  const rows = await database.all(query, [thread]);
  return new CheckpointTree(
    rows.map((row) => ({ namespace: "", id: textOf(row, "id"), parent: optionalTextOf(row, "parent") })),
  );
}

const momentQuery = `select ${checkpointColumns} where c.thread = $1 and c.namespace = $3
  and c.id in (select wanted.value ->> 0 from json_array_elements($2) wanted)`;

/**
 * Reads checkpoints by their ids, in the order of these. Damaged ones are left out.
 *
 * @param channels Channels of an agent to read, too.
 * @param namespace That of a graph in a tool; the main graph by default.
 */
export async function readMoments(
  database: Database,
  thread: string,
  ids: readonly string[],
  channels: readonly string[] = [],
  namespace = "",
): Promise<Moment[]> {
  const found = await database.all(momentQuery, [thread, rowsOf(ids.map((id) => [id])), namespace]);
  const rows = found.flatMap(toCheckpointRow);
  // A newer version may have written what this one cannot read.
  if (rows.length < found.length) await database.checkVersion();
  const isRead = (channel: string) => channel === "turn" || channels.includes(channel);
  const wanted = rows.flatMap(({ versions }) =>
    Object.entries(versions.channel_versions).filter(([channel]) => isRead(channel) || isTrigger(channel)),
  );
  const bodies = await readVersionBodies(database, { thread, namespace }, wanted);
  const read = [...bodies].filter(([key]) => isRead(key.split("\0", 1)[0] ?? ""));
  const values = await readBodies(
    database,
    thread,
    read.map(([, body]) => body),
  );
  const valueAt = new Map(read.map(([key], n) => [key, values[n]]));
  const moments = rows.map((row): readonly [string, Moment] => {
    const next = pendingNodes(row.versions, (...version) => bodies.has(keyOf(version)));
    const versions = Object.entries(row.versions.channel_versions).filter(([channel]) => isRead(channel));
    const values = Object.fromEntries(versions.map((version) => [version[0], valueAt.get(keyOf(version))]));
    const number = turnSchema.parse(values.turn)?.number ?? 0;
    const begins = isBeginning(next) && noteOf(row).graph !== undefined;
    return [row.id, { ...row, next, turn: begins ? number + 1 : number, isBeginning: begins, values }];
  });
  const byId = new Map(moments);
  return ids.flatMap((id) => byId.get(id) ?? []);
}

type ChannelVersion = readonly [channel: string, version: number | string];
const keyOf = ([channel, version]: ChannelVersion) => `${channel}\0${version}`;

/** Reads the bodies of versions of channels. An empty channel has none. */
async function readVersionBodies(
  database: Database,
  { thread, namespace }: { readonly thread: string; readonly namespace: string },
  wanted: readonly ChannelVersion[],
): Promise<Map<string, string>> {
  // SQLite may read a version from JSON not to the last digit.
  const steps = new Map(
    wanted.map(([channel, version]) => [keyOf([channel, version]), [channel, Math.floor(Number(version))]]),
  );
  const rows = await database.all(versionQuery, [thread, rowsOf([...steps.values()]), namespace]);
  const found = rows.map(
    (row) => [keyOf([textOf(row, "channel"), numberOf(row, "version")]), textOf(row, "body")] as const,
  );
  return new Map(found.filter(([key]) => steps.has(key)));
}

const step = "cast(wanted.value ->> 1 as double precision)";
const versionQuery = `select v.channel, v.version, v.body from json_array_elements($2) wanted
  cross join glassloop_versions v where v.thread = $1 and v.namespace = $3 and v.channel = wanted.value ->> 0
  and v.version >= ${step} and v.version < ${step} + 1`;

const turnSchema = z.object({ number: z.number() }).optional().catch(undefined);
