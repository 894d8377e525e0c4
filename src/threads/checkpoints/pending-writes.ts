import { type CheckpointPendingWrite, type PendingWrite, WRITES_IDX_MAP } from "@langchain/langgraph-checkpoint";
import { type Database, type Statement, textOf } from "../databases/database.js";
import { readVersion, toChannelVersion } from "../values/decode.js";
import { type EncodedValue, encodeValue } from "../values/encode.js";
import { readItems } from "../values/items.js";
import { learnVersions, type Place } from "../values/read-channels.js";
import { hashesOf, parseStoredWrites } from "../values/stored-form.js";

/** A write of a task, ready to be stored. */
interface EncodedWrite {
  readonly channel: string;
  readonly content: unknown;
  readonly base: number | string | undefined;
  readonly value: EncodedValue;
}

/** Makes the writes of a task ready to be stored. */
export function encodeWrites({ cache }: Place, checkpointId: string, writes: readonly PendingWrite[]): EncodedWrite[] {
  const versions = cache.versionsAt(checkpointId);
  return writes.map(([channel, content]) => {
    const base = versions?.[channel];
    const baseVersion = base === undefined ? undefined : cache.version(channel, base);
    // No element of the cache is used here. A node may have changed an object in place, and the cache would take it for the old one.
    const value = encodeValue(content, cache.texts, baseVersion);
    return { channel, content, base: value.based ? base : undefined, value };
  });
}

/** Tells whether a write has an object that the cache knows with another content: alone, or in a list. */
export function isChanged({ content, value }: EncodedWrite, { cache }: Place): boolean {
  const written = [[content, { reference: value.body }] as const, ...value.elements];
  return written.some(([object, { reference }]) => (cache.entryOf(object)?.reference ?? reference) !== reference);
}

/**
 * Returns the rows for the writes of a task. All writes to channels are one row, which stays if the task runs again.
 * LangGraph's own writes (an error, an interrupt, its answer) have a row each, and a later one replaces it.
 */
export function writeStatements(
  { thread, namespace }: Place,
  checkpointId: string,
  task: string,
  writes: readonly EncodedWrite[],
): Statement[] {
  const rows = new Map<number, EncodedWrite[]>();
  for (const write of writes) {
    const position = WRITES_IDX_MAP[write.channel] ?? 0;
    rows.set(position, position === 0 ? [...(rows.get(0) ?? []), write] : [write]);
  }
  return [...rows].map(([position, row]) => ({
    sql: position === 0 ? insertOnce : insertLast,
    parameters: [thread, namespace, checkpointId, task, position, `[${row.map(toJson).join(",")}]`],
  }));
}

const insert = `insert into glassloop_writes (thread, namespace, checkpoint, task, position, body)
  values ($1, $2, $3, $4, $5, $6) on conflict`;
const insertOnce = `${insert} do nothing`;
const insertLast = `${insert} (thread, namespace, checkpoint, task, position) do update set body = excluded.body`;

function toJson({ channel, base, value }: EncodedWrite): string {
  return `[${JSON.stringify(channel)},${value.body}${base === undefined ? "" : `,${JSON.stringify(base)}`}]`;
}

/** Reads the pending writes of a checkpoint. They are sorted by task, and in the order in which they were written. */
export async function readPendingWrites(
  database: Database,
  place: Place,
  checkpointId: string,
): Promise<CheckpointPendingWrite[]> {
  const rows = await database.all(
    `select task, body from glassloop_writes where thread = $1 and namespace = $2 and checkpoint = $3
      order by task, position`,
    [place.thread, place.namespace, checkpointId],
  );
  const writes = rows.flatMap((row) =>
    parseStoredWrites(textOf(row, "body")).map(([channel, value, base]) => ({
      task: textOf(row, "task"),
      channel,
      value,
      base,
    })),
  );
  const [items] = await Promise.all([
    readItems(
      database,
      place.thread,
      writes.flatMap(({ value }) => hashesOf(value)),
    ),
    learnVersions(
      database,
      place,
      writes.flatMap(({ channel, base }) => (base === undefined ? [] : [[channel, base] as const])),
    ),
  ]);
  return writes.map(({ task, channel, value, base }): CheckpointPendingWrite => {
    const baseVersion = base === undefined ? undefined : place.cache.version(channel, base);
    return [
      task,
      channel,
      readVersion(toChannelVersion(value, { items, texts: place.cache.texts, base: baseVersion })),
    ];
  });
}
