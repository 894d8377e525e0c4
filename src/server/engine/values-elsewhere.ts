import { isRecord } from "../../base/is-record.js";
import type { RunCheckpoints, StoredEvent, ValuesElsewhere } from "../../threads/runs/index.js";
import { wireJson } from "../wire/wire-json.js";
import type { RunEvent } from "./run-engine.js";
import type { WireEvent } from "./wire-events.js";

/** What of an event is in a checkpoint. */
export interface Shortened {
  /** The data as JSON, without the values. */
  readonly json: string;
  readonly values: ValuesElsewhere;
  /** Rejects if the checkpoint could not be stored. */
  readonly stored: Promise<unknown>;
}

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
    const { id, made, stored } = found;
    const elsewhere = { namespace, id, channels, path: [...path], made };
    return { json: wireJson(withValue(data, path, own)), values: elsewhere, stored };
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
  { seq, event, data, values, at }: StoredEvent,
  read: (namespace: string, id: string) => Promise<Readonly<Record<string, unknown>> | undefined>,
): Promise<RunEvent> {
  if (values === undefined) return { seq, event, json: JSON.stringify(data), at };
  const { namespace, id, channels, path } = values;
  const state = await read(namespace, id);
  if (state === undefined) {
    return { seq, event: "pruned", json: JSON.stringify({ event, checkpoint_id: id, message }), at };
  }
  const own = valueAt(data, path);
  const picked = Object.fromEntries(channels.map((channel) => [channel, state[channel]]));
  const json = wireJson(withValue(data, path, { ...(isRecord(own) && own), ...picked }));
  return { seq, event, json, at, checkpoint: checkpointOf(values) };
}

/** Names the checkpoint that has the values of an event. */
export function checkpointOf(values: ValuesElsewhere | undefined): RunEvent["checkpoint"] {
  return values?.made && { id: values.id, ...values.made };
}

const message = "The checkpoint of this event was pruned. The state of the thread is kept.";

function valueAt(data: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), data);
}

function withValue(data: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  return isRecord(data) ? { ...data, [key]: withValue(data[key], rest, value) } : data;
}
