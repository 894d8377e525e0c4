import { isRecord } from "../../base/is-record.js";
import { wireJson } from "./wire-json.js";

/** About the most bytes of a response that is bounded. */
const MOST_BYTES = 256_000;
const MOST_CHARACTERS = 20_000;

/** Where something was left out, and the length of the whole: characters of a text, items of a list, fields of an object. */
interface Cut {
  readonly path: readonly (string | number)[];
  readonly length: number;
}

/**
 * Returns an object as JSON that has a largest size: long texts are cut, and lists and objects end early. Its field `cut` says
 * where, if something was left out.
 */
export function bounded(
  value: object,
  mostCharacters = MOST_CHARACTERS,
  mostBytes = MOST_BYTES,
): { readonly json: object; readonly bytes: number } {
  let left = mostBytes;
  const cut: Cut[] = [];

  function text(whole: string, path: Cut["path"]): string {
    const shown = whole.slice(0, Math.max(0, Math.min(left, mostCharacters)));
    // No character is cut in half.
    const kept = shown.length < whole.length ? shown.replace(/[\ud800-\udbff]$/, "") : whole;
    left -= Buffer.byteLength(kept) + 3;
    if (kept.length < whole.length) cut.push({ path, length: whole.length });
    return kept;
  }

  function fields(entries: readonly (readonly [string | number, unknown])[], path: Cut["path"]) {
    const kept = new Map<string | number, unknown>();
    for (const [key, inner] of entries) {
      if (left <= 0) break;
      left -= typeof key === "string" ? Buffer.byteLength(key) + 4 : 1;
      kept.set(key, part(inner, [...path, key]));
    }
    if (kept.size < entries.length) cut.push({ path, length: entries.length });
    return kept;
  }

  function part(inner: unknown, path: Cut["path"]): unknown {
    if (typeof inner === "string") return text(inner, path);
    if (Array.isArray(inner)) return [...fields([...inner.entries()], path).values()];
    if (isRecord(inner)) return Object.fromEntries(fields(Object.entries(inner), path));
    left -= 5;
    return inner;
  }

  const json = Object.fromEntries(fields(Object.entries(JSON.parse(wireJson(value))), []));
  return { json: cut.length > 0 ? { ...json, cut } : json, bytes: mostBytes - left };
}

/** Returns the first of some items that together have about the size of one bounded response: at least one. */
export function thoseThatFit<Item>(items: readonly Item[], bytesOf: (item: Item) => number): Item[] {
  let bytes = 0;
  const end = items.findIndex((item, n) => {
    bytes += bytesOf(item);
    return n > 0 && bytes > MOST_BYTES;
  });
  return end < 0 ? [...items] : items.slice(0, end);
}

/** Returns as many items as a response has, from one of them on: at least one. `next` is the first that is left, or null. */
export function partOf(items: readonly object[], from: number, mostCharacters?: number) {
  const rest = items.slice(from).map((item) => bounded(item, mostCharacters));
  const shown = thoseThatFit(rest, ({ bytes }) => bytes).map(({ json }) => json);
  const end = from + shown.length;
  return { count: items.length, shown, next: end < items.length ? end : null };
}
