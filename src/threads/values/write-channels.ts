import type { ChannelVersions, Checkpoint } from "@langchain/langgraph-checkpoint";
import type { Statement } from "../databases/database.js";
import { insertMissing } from "../databases/insert-rows.js";
import { type EncodedValue, encodeValue } from "./encode.js";
import type { Place } from "./read-channels.js";
import { foldText, spokenTextOf } from "./search-text.js";
import type { Item } from "./serialize.js";

/** The value of a channel that changed, ready to be stored. */
interface ChangedChannel {
  readonly channel: string;
  readonly version: number | string;
  readonly base: number | string | undefined;
  /** The value; undefined if the channel is empty now. */
  readonly value: EncodedValue | undefined;
}

/**
 * Makes the values of the channels that changed ready to be stored.
 *
 * @param parent The id of the checkpoint before. A list is written as the elements that it adds to the parent's list,
 *   if the cache knows that list.
 * @param mayHaveChanged True if an object that the cache knows may have another content now.
 * @throws TypeError if a version is no number, as such a version could not be read again.
 */
export function encodeChannels(
  { cache }: Place,
  checkpoint: Checkpoint,
  newVersions: ChannelVersions,
  parent: string | undefined,
  { mayHaveChanged }: { readonly mayHaveChanged: boolean },
): ChangedChannel[] {
  const before = parent === undefined ? undefined : cache.versionsAt(parent);
  return Object.entries(newVersions).map(([channel, version]) => {
    if (Number.isNaN(Number(version))) throw notNumber(channel, version);
    if (!Object.hasOwn(checkpoint.channel_values, channel)) {
      return { channel, version, base: undefined, value: undefined };
    }
    const base = before?.[channel];
    const baseVersion = base === undefined ? undefined : cache.version(channel, base);
    const value = encodeValue(
      checkpoint.channel_values[channel],
      cache.texts,
      baseVersion,
      mayHaveChanged ? undefined : cache,
    );
    return { channel, version, base: value.based ? base : undefined, value };
  });
}

function notNumber(channel: string, version: number | string): TypeError {
  return new TypeError(
    `The channel "${channel}" has the version "${version}". Give a number, such as getNextVersion of the checkpointer returns.`,
  );
}

export function channelStatements({ thread, namespace }: Place, changed: readonly ChangedChannel[]): Statement[] {
  const rows = changed.flatMap(({ channel, version, base, value }) =>
    value === undefined ? [] : [[thread, namespace, channel, version, base ?? null, value.body]],
  );
  return insertMissing("glassloop_versions (thread, namespace, channel, version, base, body)", rows);
}

/**
 * Returns the rows for items that a thread may not hold yet. They are sorted by hash, so that two writers never wait
 * for each other in a circle.
 */
export function itemStatements(thread: string, items: readonly Item[]): Statement[] {
  const unique = new Map(items.map((item) => [item.hash, item]));
  const sorted = [...unique.values()]
    .sort((a, b) => (a.hash < b.hash ? -1 : 1))
    .map(({ hash, type, content, texts }) => ({ hash, type, content, texts }));
  const rows = sorted.map(({ hash, type, content }) => [thread, hash, type, content]);
  return [
    ...insertMissing("glassloop_items (thread, hash, type, content)", rows),
    ...sorted.flatMap((item) => textStatements(thread, item)),
  ];
}

/** Returns the row that makes the question or answer in an item searchable; none for any other item. */
function textStatements(thread: string, item: Item): Statement[] {
  const spoken = spokenTextOf(item);
  if (spoken === undefined) return [];
  const sql = "insert into glassloop_texts (thread, hash, folded) values ($1, $2, $3) on conflict do nothing";
  return [{ sql, parameters: [thread, item.hash, foldText(spoken.text)] }];
}

/** Remembers the stored values in the cache, so that they need not be read again. */
export function rememberChannels({ cache }: Place, checkpoint: Checkpoint, changed: readonly ChangedChannel[]): void {
  for (const { channel, version, value } of changed) {
    cache.addVersion(channel, version, value?.version ?? { kind: "absent" });
    for (const [element, entry] of value?.elements ?? []) cache.addEntry(element, entry);
  }
  cache.addCheckpoint(checkpoint.id, { ...checkpoint.channel_versions });
}
