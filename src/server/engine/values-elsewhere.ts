import { isRecord } from "../../base/is-record.js";
import type { RunCheckpoints } from "../../threads/checkpoints/run-identity.js";
import type { StoredEvent } from "../../threads/runs/run-events.js";
import { wireJson } from "../wire/wire-json.js";
import type { Shortened } from "./recording.js";
import type { WireEvent } from "./wire-events.js";

/** The field of an event's data that holds values of the state, by the mode of the event. Empty: the data itself. */
const fields: ReadonlyMap<string, string> = new Map([
  ["values", ""],
  ["checkpoints", "values"],
  ["tasks", "input"],
]);

/**
 * Returns the form in which an event is stored if a checkpoint of its run holds its values. Whole values in each event would
 * grow with the square of the conversation.
 */
export function shortened({ mode, namespace, data }: WireEvent, checkpoints: RunCheckpoints): Shortened | undefined {
  const field = fields.get(mode);
  if (field === undefined || !isRecord(data)) return undefined;
  const values = field === "" ? data : data[field];
  const found = isRecord(values) ? checkpoints.holding(namespace, values) : undefined;
  if (found === undefined || !isRecord(values)) return undefined;
  const { id, stored } = found;
  const isElsewhere = (channel: string) => Object.hasOwn(found.values, channel);
  const channels = Object.keys(values).filter(isElsewhere);
  const own = Object.fromEntries(Object.entries(values).filter(([channel]) => !isElsewhere(channel)));
  return {
    json: wireJson(field === "" ? own : { ...data, [field]: own }),
    values: { namespace, id, channels, field },
    stored,
  };
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
  const { namespace, id, channels, field } = values;
  const state = await read(namespace, id);
  if (state === undefined) return { seq, event: "pruned", json: JSON.stringify({ event, checkpoint_id: id, message }) };
  const picked = Object.fromEntries(channels.map((channel) => [channel, state[channel]]));
  if (!isRecord(data)) throw new TypeError(`The event ${seq} has no place for its values.`);
  const own = field === "" ? data : data[field];
  const whole = { ...(isRecord(own) ? own : {}), ...picked };
  return { seq, event, json: wireJson(field === "" ? whole : { ...data, [field]: whole }) };
}

const message = "The checkpoint of this event was pruned. The state of the thread is kept.";
