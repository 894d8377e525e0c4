import { isRecord } from "../../base/is-record.js";
import type { RunCheckpoints } from "../../threads/checkpoints/run-identity.js";
import type { StoredEvent } from "../../threads/runs/run-events.js";
import { wireJson } from "../wire/wire-json.js";
import type { Shortened } from "./recording.js";
import type { WireEvent } from "./wire-events.js";

/** Where the data of events have values of the state: the keys down to them, by the mode of the event. */
const paths: ReadonlyMap<string, readonly (readonly string[])[]> = new Map([
  ["values", [[]]],
  ["checkpoints", [["values"]]],
  ["tasks", [["input"]]],
  [
    "debug",
    [
      ["payload", "values"],
      ["payload", "input"],
    ],
  ],
]);

/**
 * Returns the form in which an event is stored if a checkpoint of its run holds its values. Whole values in each event would
 * grow with the square of the conversation.
 */
export function shortened({ mode, namespace, data }: WireEvent, checkpoints: RunCheckpoints): Shortened | undefined {
  for (const path of paths.get(mode) ?? []) {
    const values = valueAt(data, path);
    const found = isRecord(values) ? checkpoints.holding(namespace, values) : undefined;
    if (!isRecord(values) || found === undefined) continue;
    const isElsewhere = (channel: string) => Object.hasOwn(found.values, channel);
    const channels = Object.keys(values).filter(isElsewhere);
    const own = Object.fromEntries(Object.entries(values).filter(([channel]) => !isElsewhere(channel)));
    const { id, stored } = found;
    return { json: wireJson(withValue(data, path, own)), values: { namespace, id, channels, path: [...path] }, stored };
  }
  return undefined;
}

/**
 * Makes an event whole again.
 *
 * @param read The function that reads the values of a checkpoint; undefined for one that is not kept.
 * @returns The event; one with the name `pruned` if its checkpoint is not kept.
 */
export async function madeWhole(
  { seq, event, data, values }: StoredEvent,
  read: (namespace: string, id: string) => Promise<Readonly<Record<string, unknown>> | undefined>,
) {
  if (values === undefined) return { seq, event, json: JSON.stringify(data) };
  const { namespace, id, channels, path } = values;
  const state = await read(namespace, id);
  if (state === undefined) return { seq, event: "pruned", json: JSON.stringify({ event, checkpoint_id: id, message }) };
  const own = valueAt(data, path);
  const picked = Object.fromEntries(channels.map((channel) => [channel, state[channel]]));
  return { seq, event, json: wireJson(withValue(data, path, { ...(isRecord(own) && own), ...picked })) };
}

const message = "The checkpoint of this event was pruned. The state of the thread is kept.";

function valueAt(data: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), data);
}

function withValue(data: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  return isRecord(data) ? { ...data, [key]: withValue(data[key], rest, value) } : data;
}
