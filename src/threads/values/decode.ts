import { type ChannelVersion, type Entry, entriesOf, type ListVersion, type ThreadCache } from "./cache.js";
import { objectFromJson } from "./from-json.js";
import { deserialize, type Serialized } from "./serialize.js";
import { isEntry, isStoredList, type StoredEntry, type StoredList, type StoredValue } from "./stored-form.js";

/** A version at which a channel is not empty. */
type StoredVersion = Exclude<ChannelVersion, { kind: "absent" }>;

/** The things that stored values refer to: the content of items, and the version that a list is based on. */
export interface Sources {
  readonly items: ReadonlyMap<string, Serialized>;
  readonly base?: ChannelVersion | undefined;
}

/**
 * Joins a stored value with the content that it refers to. The elements of lists stay text.
 *
 * @throws MissingPartError
 */
export function toChannelVersion(stored: StoredValue, sources: Sources): StoredVersion {
  if (isEntry(stored)) return { kind: "plain", serialized: toSerialized(stored, sources) };
  const { base } = sources;
  if (isStoredList(stored)) {
    return { kind: "list", list: toListVersion(stored, base?.kind === "list" ? base.list : undefined, sources) };
  }
  const baseLists = base?.kind === "object" ? base.lists : undefined;
  const lists = Object.entries(stored.lists).map(
    ([name, list]) => [name, toListVersion(list, baseLists?.get(name), sources)] as const,
  );
  return { kind: "object", shell: toSerialized([stored.object], sources), lists: new Map(lists) };
}

/** The error for a stored value that refers to something that is not in the database. */
export class MissingPartError extends Error {}

function toListVersion(stored: StoredList, base: ListVersion | undefined, sources: Sources): ListVersion {
  if (stored.kept > (base?.length ?? 0)) throw new MissingPartError("the version a list is based on");
  const added = stored.items.map((entry) => ({
    reference: JSON.stringify(entry),
    serialized: toSerialized(entry, sources),
  }));
  return { base: stored.kept > 0 ? base : undefined, kept: stored.kept, added, length: stored.kept + added.length };
}

function toSerialized(entry: StoredEntry, { items }: Sources): Serialized {
  if (typeof entry !== "string") return { type: "json", content: JSON.stringify(entry[0]) };
  const item = items.get(entry);
  if (item === undefined) throw new MissingPartError("an item");
  return item;
}

/**
 * Reads the value of a version. It is new, so a caller may change it.
 *
 * @param cache The cache that remembers the elements. Leave it out for a value that nobody shares.
 */
export function readVersion(version: StoredVersion, cache?: ThreadCache): unknown {
  if (version.kind === "plain") return deserialize(version.serialized);
  if (version.kind === "list") return readList(version.list, cache);
  const object = objectFromJson(version.shell.content);
  if (object === undefined) throw new MissingPartError("the object that holds a list");
  const lists = [...version.lists].map(([name, list]) => [name, readList(list, cache)] as const);
  return { ...object, ...Object.fromEntries(lists) };
}

function readList(list: ListVersion, cache?: ThreadCache): unknown[] {
  return entriesOf(list).map((entry) => readEntry(entry, cache));
}

function readEntry(entry: Entry, cache?: ThreadCache): unknown {
  const value = deserialize(entry.serialized);
  cache?.addEntry(value, entry);
  return value;
}
