import type { Database } from "../databases/database.js";
import { type Place, readChains, readOwnRows, type StoredVersion, type Versions } from "./read-channels.js";
import { isEntry, MissingPartError, type StoredEntry, type StoredList, type StoredValue } from "./stored-form.js";

/** The values of a channel at two of its versions; undefined where the channel is empty. */
export interface StoredPair {
  readonly channel: string;
  readonly before: StoredValue | undefined;
  readonly after: StoredValue | undefined;
}

/**
 * Reads values at two versions as they are stored, without their items. The lists of a pair have the same number of `kept` elements,
 * which are equal and are not read. The later value mostly says by itself what it adds to the earlier one, so of a long list only the
 * newest rows are read.
 */
export async function readPairs(
  database: Database,
  place: Omit<Place, "cache">,
  {
    before,
    after,
    channels,
  }: { readonly before: Versions; readonly after: Versions; readonly channels: readonly string[] },
): Promise<StoredPair[]> {
  const versionsOf = (names: readonly string[]) =>
    names.flatMap((channel) =>
      [before, after].flatMap(({ [channel]: version }) => (version === undefined ? [] : [[channel, version] as const])),
    );
  const rows = rowFinder(await readOwnRows(database, place, versionsOf(channels)));
  const pairs = new Map(
    channels.map((name) => [name, pairOf(name, rows(name, before[name]), rows(name, after[name]))]),
  );
  const others = channels.filter((name) => pairs.get(name) === undefined);
  const all = rowFinder(await readChains(database, place, versionsOf(others)));
  return channels.map(
    (channel) =>
      pairs.get(channel) ?? {
        channel,
        before: wholeValue(all, channel, before),
        after: wholeValue(all, channel, after),
      },
  );
}

type RowFinder = (channel: string, version: number | string | undefined) => StoredVersion | undefined;

function rowFinder(rows: readonly StoredVersion[]): RowFinder {
  const byKey = new Map(rows.map((row) => [`${row.channel}\0${row.version}`, row]));
  return (channel, version) => byKey.get(`${channel}\0${Number(version)}`);
}

/** Returns a pair of two rows; undefined if more rows are needed. */
function pairOf(
  channel: string,
  before: StoredVersion | undefined,
  after: StoredVersion | undefined,
): StoredPair | undefined {
  const pair = { channel, before: before?.value, after: after?.value };
  if (before?.base === undefined && after?.base === undefined) return pair;
  if (before === undefined || after?.base !== before.version) return undefined;
  const [old, now] = [listsIn(before.value), listsIn(after.value)];
  const keptOf = (name: string) => now[name]?.kept ?? -1;
  const names = Object.keys(old);
  const isEnough = names.every((name) => keptOf(name) >= (old[name]?.kept ?? 0));
  if (!isEnough || names.length < Object.keys(now).length) return undefined;
  const rest = ({ kept, items }: StoredList, name: string) => ({
    kept: keptOf(name),
    items: items.slice(keptOf(name) - kept),
  });
  return { ...pair, before: mapLists(before.value, rest) };
}

/** Returns the lists in a value by the names of their fields. The name of a value that is a list is empty. */
export function listsIn(value: StoredValue): Readonly<Record<string, StoredList>> {
  if (isEntry(value)) return {};
  return "kept" in value ? { "": value } : value.lists;
}

function mapLists(value: StoredValue, change: (list: StoredList, name: string) => StoredList): StoredValue {
  if (isEntry(value)) return value;
  if ("kept" in value) return change(value, "");
  const lists = Object.entries(value.lists).map(([name, list]) => [name, change(list, name)] as const);
  return { ...value, lists: Object.fromEntries(lists) };
}

/** Returns a value with its lists as a whole. */
function wholeValue(rows: RowFinder, channel: string, { [channel]: version }: Versions): StoredValue | undefined {
  const first = rows(channel, version);
  return first && mapLists(first.value, (_, name) => wholeList(rows, first, name));
}

/** Joins a list with those that it is based on. @throws MissingPartError */
function wholeList(rows: RowFinder, first: StoredVersion, name: string): StoredList {
  const parts: (readonly StoredEntry[])[] = [];
  let left = Number.POSITIVE_INFINITY;
  for (let row: StoredVersion | undefined = first; left > 0; row = rows(first.channel, row?.base)) {
    const list = row && listsIn(row.value)[name];
    if (list === undefined) throw new MissingPartError("the version a list is based on");
    parts.unshift(list.items.slice(0, Math.max(0, left - list.kept)));
    left = Math.min(left, list.kept);
  }
  return { kept: 0, items: parts.flat() };
}
