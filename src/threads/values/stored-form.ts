import { isRecord } from "../../base/is-record.js";

/**
 * A value in a row's `body`, as JSON of one of these forms:
 *
 * - `[value]`: a small value, as it is.
 * - `"hash"`: a value kept in `items`. The hashes of its long texts follow, if it has any: `"hash hash hash"`.
 * - `{kept, items}`: a list of the first `kept` elements of the base version, and then these items.
 * - `{object, texts, lists}`: an object whose long lists are written apart. `texts` has the hashes of its long texts.
 */
export type StoredValue = StoredEntry | StoredList | StoredObject;
export type StoredEntry = string | readonly [unknown];
export interface StoredList {
  readonly kept: number;
  readonly items: readonly StoredEntry[];
}
interface StoredObject {
  readonly object: Readonly<Record<string, unknown>>;
  readonly texts?: readonly string[];
  readonly lists: Readonly<Record<string, StoredList>>;
}

/** The error for a stored value that refers to something that is not in the database. */
export class MissingPartError extends Error {}

/** Reads a value's body. @throws SyntaxError if it is not JSON of these forms. */
export function parseStoredValue(body: string): StoredValue {
  return checked(JSON.parse(body));
}

/** A pending write: its channel, its value, and the version of the channel that its lists are based on. */
type StoredWrite = readonly [channel: string, value: StoredValue, base?: number];

/** Reads the body of a row of pending writes. @throws SyntaxError if it is not JSON of this form. */
export function parseStoredWrites(body: string): StoredWrite[] {
  const writes: unknown = JSON.parse(body);
  if (!Array.isArray(writes)) throw unreadable();
  return writes.map((write: unknown) => {
    if (!Array.isArray(write)) throw unreadable();
    const [channel, value, base]: unknown[] = write;
    if (typeof channel !== "string" || (base !== undefined && typeof base !== "number")) throw unreadable();
    return [channel, checked(value), base];
  });
}

/** Returns the hashes of the items that a value needs. */
export function hashesOf(value: StoredValue): string[] {
  if (isEntry(value)) return typeof value === "string" ? value.split(" ") : [];
  if ("kept" in value) return value.items.flatMap(hashesOf);
  return [...(value.texts ?? []), ...Object.values(value.lists).flatMap(hashesOf)];
}

export function isEntry(value: unknown): value is StoredEntry {
  return typeof value === "string" || (Array.isArray(value) && value.length === 1);
}

function isStoredList(value: unknown): value is StoredList {
  return isRecord(value) && isCount(value.kept) && Array.isArray(value.items) && value.items.every(isEntry);
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isListOfHashes(value: unknown): boolean {
  return Array.isArray(value) && value.every((hash) => typeof hash === "string");
}

function isStoredObject(value: unknown): value is StoredObject {
  return (
    isRecord(value) &&
    isRecord(value.object) &&
    (value.texts === undefined || isListOfHashes(value.texts)) &&
    isRecord(value.lists) &&
    Object.values(value.lists).every(isStoredList)
  );
}

function checked(value: unknown): StoredValue {
  if (isEntry(value) || isStoredList(value) || isStoredObject(value)) return value;
  throw unreadable();
}

function unreadable(): SyntaxError {
  return new SyntaxError("A stored value is of no known form.");
}
