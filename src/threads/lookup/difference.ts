import { isDeepStrictEqual } from "node:util";
import { ThreadError } from "../../base/errors.js";
import { isTrigger } from "../../langgraph/pending-nodes.js";
import { againIfPruned } from "../checkpoints/again-if-pruned.js";
import { DAMAGED, readCheckpoint } from "../checkpoints/checkpoint-rows.js";
import { type Database, textOf } from "../databases/database.js";
import { readVersion, toChannelVersion } from "../values/decode.js";
import { readItems } from "../values/items.js";
import { LongTexts } from "../values/long-texts.js";
import type { Versions } from "../values/read-channels.js";
import { listsIn, readPairs, type StoredPair } from "../values/read-pairs.js";
import { hashesOf, isEntry, type StoredEntry, type StoredList, type StoredValue } from "../values/stored-form.js";

/** What a checkpoint changed in the state against the checkpoint before it. */
export interface CheckpointDifference {
  readonly checkpoint: string;
  /** The checkpoint before it; undefined if there is none: all values are new then. */
  readonly parent?: string | undefined;
  /** The graph that wrote it: empty for the graph of the thread, else LangGraph's path of a graph in one of its nodes. */
  readonly namespace: string;
  /** The time at which it was written: ISO 8601, UTC. */
  readonly at: string;
  /** The reason for which it was written, in LangGraph's words: `input`, `loop` (a super-step), `update` or `fork`. */
  readonly source: string;
  readonly changes: readonly ChannelChange[];
}

/** How a value of a channel changed: as a list, or as a whole. */
export type ChannelChange = ListChange | ValueChange;

/** From the place `at` on, a list lost some items and got others. */
export interface ListChange {
  readonly channel: string;
  /** The field of the channel's value that is the list; undefined if the value itself is. Only long lists have a change of their own. */
  readonly field?: string;
  readonly at: number;
  readonly removed: readonly unknown[];
  readonly added: readonly unknown[];
  /** The number of items that the list has now; undefined if there is no list. */
  readonly length: number | undefined;
}

/** A value before and after: undefined where the channel is empty. Lists of it that have a change of their own are left out. */
export interface ValueChange {
  readonly channel: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/**
 * Reads what a checkpoint changed. Lists are compared by the names of their items, and only items that are not in both are read.
 *
 * @param id The id of a checkpoint of the thread's graph, or of a graph in one of its nodes.
 */
export function readDifference(database: Database, thread: string, id: string): Promise<CheckpointDifference> {
  return againIfPruned(database, thread, async () => {
    const [found] = await database.all(namespaceQuery, [thread, id]);
    const place = { thread, namespace: found ? textOf(found, "namespace") : "" };
    const stored = found && (await readCheckpoint(database, { ...place, id }));
    if (stored === undefined) throw new ThreadError("checkpoint-not-kept", thread, id);
    const { parent, checkpoint, metadata } = stored;
    const before = parent === undefined ? undefined : await readCheckpoint(database, { ...place, id: parent });
    const changes = await readChanges(database, place, {
      before: before?.checkpoint.channel_versions ?? {},
      after: checkpoint.channel_versions,
    });
    const { namespace } = place;
    return { checkpoint: id, parent: before?.key.id, namespace, at: checkpoint.ts, source: metadata.source, changes };
  });
}

const namespaceQuery = `select namespace from glassloop_checkpoints
  where thread = $1 and id = $2 and namespace <> '${DAMAGED}'`;

async function readChanges(
  database: Database,
  place: { readonly thread: string; readonly namespace: string },
  { before, after }: { readonly before: Versions; readonly after: Versions },
): Promise<ChannelChange[]> {
  const channels = Object.keys({ ...after, ...before }).filter(
    (channel) => !isTrigger(channel) && before[channel] !== after[channel],
  );
  const changes = (await readPairs(database, place, { before, after, channels })).flatMap(changesOf);
  const items = await readItems(database, place.thread, changes.flatMap(partsOf).flatMap(hashesOf));
  const texts = new LongTexts();
  const read = (stored: StoredValue) => readVersion(toChannelVersion(stored, { items, texts }));
  return changes.map((change) => {
    if ("at" in change) return { ...change, removed: change.removed.map(read), added: change.added.map(read) };
    const { channel, before, after } = change;
    return { channel, ...(before && { before: read(before) }), ...(after && { after: read(after) }) };
  });
}

/** A change whose values are as they are stored. */
type StoredChange =
  | (ListChange & { readonly removed: readonly StoredEntry[]; readonly added: readonly StoredEntry[] })
  | { readonly channel: string; readonly before: StoredValue | undefined; readonly after: StoredValue | undefined };

function partsOf(change: StoredChange): StoredValue[] {
  if ("at" in change) return [...change.removed, ...change.added];
  return [change.before, change.after].filter((value) => value !== undefined);
}

function changesOf({ channel, before, after }: StoredPair): StoredChange[] {
  const [old, now] = [split(before), split(after)];
  const names = [...new Set([...Object.keys(old.lists), ...Object.keys(now.lists)])];
  const isSplit = (stored: StoredValue | undefined, { lists }: Split) =>
    stored === undefined || names.every((name) => Object.hasOwn(lists, name));
  if (!isSplit(before, old) || !isSplit(after, now)) return [{ channel, before, after }];
  const lists = names.flatMap((name) =>
    listChange({ channel, ...(name && { field: name }) }, old.lists[name], now.lists[name]),
  );
  return isDeepStrictEqual(old.rest, now.rest) ? lists : [{ channel, before: old.rest, after: now.rest }, ...lists];
}

/** A stored value apart from its lists. */
interface Split {
  readonly rest?: StoredValue;
  readonly lists: Readonly<Record<string, StoredList>>;
}

function split(value: StoredValue | undefined): Split {
  if (value === undefined) return { lists: {} };
  if (isEmptyList(value)) return { lists: { "": { kept: 0, items: [] } } };
  const lists = listsIn(value);
  if (isEntry(value)) return { rest: value, lists };
  if ("kept" in value) return { lists };
  const fields = Object.entries(value.object).filter(([name]) => !Object.hasOwn(lists, name));
  return { rest: { ...value, object: Object.fromEntries(fields), lists: {} }, lists };
}

function isEmptyList(value: StoredValue): boolean {
  return Array.isArray(value) && Array.isArray(value[0]) && value[0].length === 0;
}

/** Compares two lists. @returns Nothing if they are equal. */
function listChange(
  name: Pick<ListChange, "channel" | "field">,
  before: StoredList | undefined,
  after: StoredList | undefined,
): StoredChange[] {
  const [old, now] = [before?.items ?? [], after?.items ?? []];
  const isSame = (a: unknown, b: unknown) => a === b || isDeepStrictEqual(a, b);
  const shorter = Math.min(old.length, now.length);
  let at = 0;
  while (at < shorter && isSame(old[at], now[at])) at += 1;
  let tail = 0;
  while (at + tail < shorter && isSame(old.at(-1 - tail), now.at(-1 - tail))) tail += 1;
  if (before && after && at === old.length && at === now.length) return [];
  const [removed, added] = [old.slice(at, old.length - tail), now.slice(at, now.length - tail)];
  const { kept = 0 } = after ?? {};
  return [{ ...name, at: kept + at, removed, added, length: after && kept + now.length }];
}
