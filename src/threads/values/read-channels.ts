import { type Database, numberOf, optionalNumberOf, type Row, textOf } from "../databases/database.js";
import type { ChannelVersion, ThreadCache } from "./cache.js";
import { readVersion, toChannelVersion, toSerialized } from "./decode.js";
import { readItems } from "./items.js";
import { LongTexts } from "./long-texts.js";
import { deserialize } from "./serialize.js";
import { hashesOf, isEntry, parseStoredValue } from "./stored-form.js";

/** The channels of a checkpoint, each with its version. */
export type Versions = Readonly<Record<string, number | string>>;

/** The place of values: one namespace of one thread, with the cache for it. */
export interface Place {
  readonly thread: string;
  readonly namespace: string;
  readonly cache: ThreadCache;
}

/** Reads the values of channels at these versions. Two queries read the values that are not in the cache. */
export async function readChannelValues(
  database: Database,
  place: Place,
  versions: Versions,
): Promise<Record<string, unknown>> {
  const { cache } = place;
  await learnVersions(database, place, Object.entries(versions));
  const values = Object.entries(versions).flatMap(([channel, version]): [string, unknown][] => {
    const known = cache.version(channel, version);
    return known === undefined || known.kind === "absent" ? [] : [[channel, readVersion(known, cache)]];
  });
  return Object.fromEntries(values);
}

/** Adds these versions to the cache, and all versions that they are based on. */
export async function learnVersions(
  database: Database,
  { thread, namespace, cache }: Place,
  versions: readonly (readonly [channel: string, version: number | string])[],
): Promise<void> {
  const wanted = versions.filter(([channel, version]) => cache.version(channel, version) === undefined);
  if (wanted.length === 0) return;
  const stored = await readChains(database, { thread, namespace }, wanted);
  const hashes = stored.flatMap(({ value }) => hashesOf(value));
  addVersions(cache, stored, await readItems(database, thread, hashes));
  for (const [channel, version] of wanted) cache.addVersion(channel, version, { kind: "absent" });
}

type ChannelVersions = readonly (readonly [channel: string, version: number | string])[];

/** Reads the rows of these versions. */
export async function readOwnRows(database: Database, place: Omit<Place, "cache">, wanted: ChannelVersions) {
  return wanted.length === 0 ? [] : readRows(database, place, rowQuery(wanted.length), wanted);
}

/** Reads the rows of these versions, and of all versions that they are based on. */
export async function readChains(database: Database, place: Omit<Place, "cache">, wanted: ChannelVersions) {
  return wanted.length === 0 ? [] : readRows(database, place, chainQuery(wanted.length), wanted);
}

async function readRows(
  database: Database,
  { thread, namespace }: Omit<Place, "cache">,
  query: string,
  wanted: ChannelVersions,
): Promise<StoredVersion[]> {
  return (await database.all(query, [thread, namespace, ...wanted.flat()])).map(toStoredVersion);
}

/** Writes the query for versions, with one select for each: for an "or" SQLite would read the whole thread. */
function rowQuery(wanted: number): string {
  const each = Array.from(
    { length: wanted },
    (_, index) => `select channel, version, base, body from glassloop_versions
      where thread = $1 and namespace = $2 and channel = $${2 * index + 3} and version = $${2 * index + 4}`,
  );
  return each.join(" union all ");
}

function chainQuery(wanted: number): string {
  return `with recursive chain (channel, version, base, body) as (
      ${rowQuery(wanted)}
    union all
      select versions.channel, versions.version, versions.base, versions.body from chain
      join glassloop_versions versions on versions.thread = $1 and versions.namespace = $2
        and versions.channel = chain.channel and versions.version = chain.base)
    select channel, version, base, body from chain`;
}

export type StoredVersion = ReturnType<typeof toStoredVersion>;

function toStoredVersion(row: Row) {
  return {
    channel: textOf(row, "channel"),
    version: numberOf(row, "version"),
    base: optionalNumberOf(row, "base"),
    value: parseStoredValue(textOf(row, "body")),
  };
}

/** Adds the versions that the cache does not hold, the oldest first. A base is older than the versions based on it. */
function addVersions(
  cache: ThreadCache,
  stored: StoredVersion[],
  items: Parameters<typeof toChannelVersion>[1]["items"],
): void {
  const unknown = stored.filter(({ channel, version }) => !cache.hasValue(channel, version));
  for (const { channel, version, base, value } of unknown.sort((a, b) => a.version - b.version)) {
    const baseVersion: ChannelVersion | undefined = base === undefined ? undefined : cache.version(channel, base);
    cache.addVersion(channel, version, toChannelVersion(value, { items, texts: cache.texts, base: baseVersion }));
  }
}

/** Reads values by the bodies of their rows, each on its own. A value with a long list is left out, as undefined. */
export async function readBodies(database: Database, thread: string, bodies: readonly string[]): Promise<unknown[]> {
  const stored = bodies.map(parseStoredValue);
  const items = await readItems(database, thread, stored.flatMap(hashesOf));
  const sources = { items, texts: new LongTexts() };
  return stored.map((value) => (isEntry(value) ? deserialize(toSerialized(value, sources)) : undefined));
}
