import { attempted } from "../../base/attempted.js";
import type { CheckpointVersions } from "../checkpoints/checkpoint-body.js";
import { type Database, numberOf, rowsOf, textOf } from "../databases/database.js";
import { fromJson } from "../values/from-json.js";

/** The versions of channels in the newest checkpoint of each thread. */
type Newest = ReadonlyMap<string, CheckpointVersions["channel_versions"]>;

/**
 * Reads small values of many threads in one query.
 *
 * @returns The function that tells the value of a channel of a thread; undefined if it is damaged, or there is none.
 */
export async function readNewestValues(
  database: Database,
  channels: readonly string[],
  newest: Newest,
): Promise<(thread: string, channel: string) => unknown> {
  // SQLite may read a version from JSON not to the last digit.
  const wanted = [...newest].flatMap(([thread, versions]) =>
    channels.flatMap((channel) =>
      versions[channel] === undefined ? [] : [[thread, channel, Math.floor(Number(versions[channel]))]],
    ),
  );
  const rows = await database.all(valueQuery, [rowsOf(wanted)]);
  const found = new Map(
    rows.map((row) => [keyOf(textOf(row, "thread"), textOf(row, "channel"), numberOf(row, "version")), row]),
  );
  return (thread, channel) => {
    const row = found.get(keyOf(thread, channel, Number(newest.get(thread)?.[channel])));
    return row && attempted(() => fromJson(textOf(row, "json")));
  };
}

const keyOf = (thread: string, channel: string, version: number) => `${version} ${channel} ${thread}`;

const step = "cast(wanted.value ->> 2 as double precision)";
// A body is the hash of an item in quotation marks, or a small value in brackets.
const valueQuery = `select v.thread, v.channel, v.version, coalesce(i.content, substr(v.body, 2, length(v.body) - 2)) as json
  from json_array_elements($1) wanted cross join glassloop_versions v
  left join glassloop_items i on i.thread = v.thread and i.hash = substr(v.body, 2, length(v.body) - 2)
  where v.thread = wanted.value ->> 0 and v.namespace = '' and v.channel = wanted.value ->> 1
    and v.version >= ${step} and v.version < ${step} + 1`;
