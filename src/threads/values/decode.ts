import { type ChannelVersion, rowsOf, type ThreadCache } from "./cache.js";
import { objectFromJson } from "./from-json.js";
import { type Entry, ListVersion } from "./list-version.js";
import { LongTexts } from "./long-texts.js";
import { textNamesIn } from "./marks.js";
import type { Texts } from "./revivable.js";
import { deserialize, type Serialized } from "./serialize.js";
import { isEntry, MissingPartError, type StoredEntry, type StoredList, type StoredValue } from "./stored-form.js";

/** A version at which a channel is not empty. */
type StoredVersion = Exclude<ChannelVersion, { kind: "absent" }>;

/** The things that stored values refer to: the content of items, long texts, and the version that a list is based on. */
interface Sources {
  readonly items: ReadonlyMap<string, Serialized>;
  readonly texts: LongTexts;
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
  if ("kept" in stored) {
    const list = toListVersion(stored, base?.kind === "list" ? base.list : undefined, sources);
    return { kind: "list", list, rows: rowsOf(base) + 1 };
  }
  const baseLists = base?.kind === "object" ? base.lists : undefined;
  const lists = Object.entries(stored.lists).map(
    ([name, list]) => [name, toListVersion(list, baseLists?.get(name), sources)] as const,
  );
  const shell = { ...toSerialized([stored.object], sources), texts: readTexts(stored.texts, sources) };
  return { kind: "object", shell, lists: new Map(lists), rows: rowsOf(base) + 1 };
}

function toListVersion(stored: StoredList, base: ListVersion | undefined, sources: Sources): ListVersion {
  if (stored.kept > (base?.length ?? 0)) throw new MissingPartError("the version a list is based on");
  const added = stored.items.map((entry) => ({
    reference: JSON.stringify(entry),
    serialized: toSerialized(entry, sources),
  }));
  return ListVersion.of(base, stored.kept, added);
}

/** Joins an entry with the content that it refers to. @throws MissingPartError */
export function toSerialized(entry: StoredEntry, sources: Omit<Sources, "base">): Serialized {
  if (typeof entry !== "string") return { type: "json", content: JSON.stringify(entry[0]) };
  const [hash = "", ...names] = entry.split(" ");
  const item = itemIn(sources, hash);
  return names.length === 0 ? item : { ...item, texts: readTexts(names, sources) };
}

/**
 * Joins an item with the long texts that its content names, as far as they are there. Search does so: it finds items
 * without the rows that refer to them.
 */
export function withTexts<T extends Serialized>(item: T, items: ReadonlyMap<string, Serialized>): T {
  const names = textNamesIn(item.content).filter((name) => items.get(name)?.content.startsWith('"'));
  return { ...item, texts: readTexts(names, { items, texts: new LongTexts() }) };
}

function readTexts(names: readonly string[] = [], sources: Omit<Sources, "base">): Texts | undefined {
  if (names.length === 0) return undefined;
  return new Map(names.map((name) => [name, sources.texts.read(name, itemIn(sources, name))]));
}

function itemIn({ items }: Omit<Sources, "base">, hash: string): Serialized {
  const item = items.get(hash);
  if (item === undefined) throw new MissingPartError("an item");
  return item;
}

/**
 * Reads the value of a version: a new object, which the caller may change.
 *
 * @param cache The cache that remembers the elements. Leave it out for a value that nobody shares.
 */
export function readVersion(version: StoredVersion, cache?: ThreadCache): unknown {
  if (version.kind === "plain") return deserialize(version.serialized);
  if (version.kind === "list") return readList(version.list, cache);
  const object = objectFromJson(version.shell.content, version.shell.texts);
  if (object === undefined) throw new MissingPartError("the object that holds a list");
  const lists = [...version.lists].map(([name, list]) => [name, readList(list, cache)] as const);
  return { ...object, ...Object.fromEntries(lists) };
}

function readList(list: ListVersion, cache?: ThreadCache): unknown[] {
  return list.entries().map((entry) => readEntry(entry, cache));
}

function readEntry(entry: Entry, cache?: ThreadCache): unknown {
  const value = deserialize(entry.serialized);
  cache?.addEntry(value, entry);
  return value;
}
