import { isDeltaSnapshot } from "@langchain/langgraph-checkpoint";
import { hasToJson, isPlain, isPlainObject, LONG_TEXT } from "../../base/plain-data.js";
import { documentForm, messageForm } from "../../langgraph/message-form.js";
import { sendData } from "../../langgraph/pending-nodes.js";
import { escapeData, holdsInnerMark, holdsMark, isMark } from "./marks.js";

/** The greatest depth that is written. `JSON.stringify` gives up at some thousands, and a map takes four levels. */
const DEEPEST = 500;

/**
 * Writes a value as JSON. Plain data is written as it is. All else has the form of LangGraph's serializer. Plain
 * data that looks like such a form is wrapped, so that no reader takes it for one.
 *
 * @param keepApart The function that returns the data for a long text. Without it the text itself is written.
 */
export function toJson(value: unknown, keepApart: KeepApart = (text) => text): string {
  const json = isPlain(value) ? JSON.stringify(value) : undefined;
  if (json !== undefined && !holdsMark(json)) return json;
  // JSON has no word for a function: there is no text.
  return messageJson(value) ?? JSON.stringify(toData(value, [], keepApart)) ?? "null";
}

type KeepApart = (text: string) => unknown;

/** Writes a message that holds only plain data, as most do. @returns Undefined for anything else. */
function messageJson(value: unknown): string | undefined {
  const form = typeof value === "object" && value !== null ? messageForm(value) : undefined;
  if (form === undefined || !isPlain(form.kwargs)) return undefined;
  const json = JSON.stringify(form);
  return holdsInnerMark(json) ? undefined : json;
}

/** Turns a value into data for `JSON.stringify`. @param above The objects that hold the value. */
function toData(value: unknown, above: readonly object[], keepApart: KeepApart): unknown {
  if (typeof value === "string" && value.length >= LONG_TEXT) return keepApart(value);
  if (value === undefined) return { lc: 2, type: "undefined" };
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (above.includes(value)) return "[Circular]";
  if (above.length > DEEPEST) return "[...]";
  const within = [...above, value];
  const part = (value: unknown) => toData(value, within, keepApart);
  if (Array.isArray(value)) return Array.from(value, part);
  if (isPlainObject(value)) return objectData(value, part);
  return knownData(value, part) ?? otherData(value, part);
}

type ToData = (part: unknown) => unknown;

/** Writes an object property by property. A key such as `__proto__` stays a key. */
function objectData(value: object, part: ToData): unknown {
  const data = Object.fromEntries(Object.entries(value).map(([key, property]) => [key, part(property)]));
  return isMark(data) ? escapeData(data) : data;
}

/** Writes a value of the closed list that `revivable.ts` reads. @returns Undefined for any other value. */
function knownData(value: object, part: ToData): unknown {
  if (value instanceof Set) return builtIn("Set", [Array.from(value, part)]);
  if (value instanceof Map) return builtIn("Map", [Array.from(value, ([key, content]) => [part(key), part(content)])]);
  if (value instanceof RegExp) return builtIn("RegExp", [value.source, value.flags]);
  if (value instanceof Error) return builtIn("Error", [value.message]);
  if (value instanceof Uint8Array) return { ...builtIn("Uint8Array", [Array.from(value)]), method: "from" };
  if (isDeltaSnapshot(value)) return { lc: 2, type: "delta_snapshot", value: part(value.value) };
  const form = messageForm(value) ?? documentForm(value);
  return form && { ...form, kwargs: part(form.kwargs) };
}

function builtIn(name: string, args: readonly unknown[]) {
  return { lc: 2, type: "constructor", id: [name], method: null, args, kwargs: {} };
}

/** Writes an object of any other class as the data that JSON makes of it. */
function otherData(value: object, part: ToData): unknown {
  const packet = sendData(value);
  if (packet !== undefined) return part(packet);
  const json = hasToJson(value) ? value.toJSON() : value;
  return json === value ? objectData(value, part) : part(json);
}
