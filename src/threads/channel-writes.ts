import type { ChannelVersions, Checkpoint, SerializerProtocol } from "@langchain/langgraph-checkpoint";
import type { Place } from "./channel-values.js";
import type { Statement } from "./database.js";
import { textStatements } from "./search-index.js";
import { type EncodedValue, encodeValue, type Item } from "./value-encoder.js";

/** The value of a channel that changed, ready to be stored. */
interface ChangedChannel {
  readonly channel: string;
  readonly version: number | string;
  readonly base: number | string | undefined;
  /** Undefined when the channel is empty now. */
  readonly value: EncodedValue | undefined;
}

/**
 * Makes the values of the channels that changed ready to be stored. They are read before this returns.
 *
 * @param parent The checkpoint before; lists are written as what they add to what it held, when this process knows that.
 */
export function encodeChannels(
  serde: SerializerProtocol,
  { cache }: Place,
  checkpoint: Checkpoint,
  newVersions: ChannelVersions,
  parent: string | undefined,
): Promise<ChangedChannel[]> {
  const before = parent === undefined ? undefined : cache.versionsAt(parent);
  return Promise.all(
    Object.entries(newVersions).map(async ([channel, version]) => {
      if (!Object.hasOwn(checkpoint.channel_values, channel))
        return { channel, version, base: undefined, value: undefined };
      const base = before?.[channel];
      const baseVersion = base === undefined ? undefined : cache.version(channel, base);
      const value = await encodeValue(serde, checkpoint.channel_values[channel], cache, baseVersion);
      return { channel, version, base: value.based ? base : undefined, value };
    }),
  );
}

export function channelStatements({ thread, namespace }: Place, changed: readonly ChangedChannel[]): Statement[] {
  return changed.flatMap(({ channel, version, base, value }) => {
    if (value === undefined) return [];
    return [{ sql: insertVersion, parameters: [thread, namespace, channel, version, base ?? null, value.body] }];
  });
}

const insertVersion = `insert into glassloop_versions (thread, namespace, channel, version, base, body)
  values ($1, $2, $3, $4, $5, $6) on conflict do nothing`;

/** The rows for content that a thread may not hold yet, in an order in which two writers never wait for each other. */
export function itemStatements(thread: string, items: readonly Item[]): Statement[] {
  const unique = new Map(items.map((item) => [item.hash, item]));
  const sorted = [...unique.values()].sort((a, b) => (a.hash < b.hash ? -1 : 1));
  return sorted.flatMap((item) => [
    { sql: insertItem, parameters: [thread, item.hash, item.type, item.content] },
    ...textStatements(thread, item),
  ]);
}

const insertItem =
  "insert into glassloop_items (thread, hash, type, content) values ($1, $2, $3, $4) on conflict do nothing";

/** Remembers what was stored, so that it need not be read again. */
export function rememberChannels({ cache }: Place, checkpoint: Checkpoint, changed: readonly ChangedChannel[]): void {
  for (const { channel, version, value } of changed) {
    cache.addVersion(channel, version, value?.version ?? { kind: "absent" });
    for (const [element, entry] of value?.elements ?? []) cache.addEntry(element, entry);
  }
  cache.addCheckpoint(checkpoint.id, { ...checkpoint.channel_versions });
}
