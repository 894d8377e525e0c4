import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { type ChannelVersion, type Entry, entriesOf, type ListVersion, type ThreadCache } from "./cache.js";
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
  if (stored.kept > 0 && base === undefined) throw new MissingPartError("the version a list is based on");
  const added = stored.items.map((entry) => ({
    reference: JSON.stringify(entry),
    serialized: toSerialized(entry, sources),
  }));
  return { base: stored.kept > 0 ? base : undefined, kept: stored.kept, added };
}

function toSerialized(entry: StoredEntry, { items }: Sources): Serialized {
  if (typeof entry !== "string") return { type: "json", content: JSON.stringify(entry[0]) };
  const item = items.get(entry);
  if (item === undefined) throw new MissingPartError("an item");
  return item;
}

/**
 * Reads the value of a version. Lists are new, so a caller may change them. Their elements are read once and shared.
 *
 * @param cache The cache that remembers the elements. Leave it out for a value that nobody shares.
 */
export async function readVersion(
  serde: SerializerProtocol,
  version: StoredVersion,
  cache?: ThreadCache,
): Promise<unknown> {
  if (version.kind === "plain") return deserialize(serde, version.serialized);
  if (version.kind === "list") return readList(serde, version.list, cache);
  const lists = [...version.lists].map(async ([name, list]) => [name, await readList(serde, list, cache)] as const);
  const shell = await deserialize(serde, version.shell);
  if (typeof shell !== "object" || shell === null) throw new MissingPartError("the object that holds a list");
  return Object.assign(shell, Object.fromEntries(await Promise.all(lists)));
}

async function readList(serde: SerializerProtocol, list: ListVersion, cache?: ThreadCache): Promise<unknown[]> {
  const entries = entriesOf(list);
  const unread = entries.filter((entry) => entry.serialized !== undefined);
  await Promise.all(unread.map((entry) => readEntry(serde, entry, cache)));
  return entries.map((entry) => entry.value);
}

async function readEntry(serde: SerializerProtocol, entry: Entry, cache?: ThreadCache): Promise<void> {
  if (entry.serialized === undefined) return;
  const value = await deserialize(serde, entry.serialized);
  // Another reader may have been quicker. All readers share the value that came first.
  if (entry.serialized === undefined) return;
  entry.value = value;
  entry.serialized = undefined;
  cache?.addEntry(value, entry);
}
