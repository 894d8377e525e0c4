import { isRecord } from "../../base/is-record.js";

/**
 * The marks of stored JSON. An object with the key `lc` stands for a value that JSON has no word for:
 *
 * - `lc` 1: a class of LangChain, as LangChain writes it.
 * - `lc` 2: a value that LangGraph's serializer knows, such as a set.
 * - `lc` 3: plain data with a key of its own that a reader could take for a mark.
 * - `lc` 4: a long text, which is an item of its own. The row of the value names it, too: this alone is only data.
 */
export interface Mark {
  readonly lc: unknown;
  readonly type?: unknown;
  readonly [key: string]: unknown;
}

/** The end of the key in JSON. The search for it is quick, because few texts have many of its first letter. */
const KEY_END = 'lc":';

/** Tells whether JSON may hold a key that makes a mark. */
export function holdsMark(json: string): boolean {
  return json.includes(KEY_END);
}

/** Tells whether the JSON of a mark may hold another one. */
export function holdsInnerMark(json: string): boolean {
  return json.includes(KEY_END, '{"lc'.length);
}

/** Wraps plain data that looks like a mark. */
export function escapeData(value: object): Mark {
  return { lc: 3, type: "data", value };
}

/** Returns the data inside of {@link escapeData}'s mark; undefined for anything else. */
export function escapedData(value: object): Record<string, unknown> | undefined {
  if (!isMark(value) || value.lc !== 3 || value.type !== "data") return undefined;
  return isRecord(value.value) ? value.value : undefined;
}

/** Returns the mark of a long text. */
export function textMark(name: string): Mark {
  return { lc: 4, type: "text", name };
}

/** Returns the name in {@link textMark}'s mark; undefined for anything else. */
export function textNameIn({ lc, type, name }: Mark): string | undefined {
  return lc === 4 && type === "text" && typeof name === "string" ? name : undefined;
}

/** Finds the names of all long texts that a value may have. Data that looks like a mark can give more. */
export function textNamesIn(json: string): string[] {
  return Array.from(json.matchAll(/\{"lc":4,"type":"text","name":"([\w-]+)"\}/g), ([, name = ""]) => name);
}

/** Tells whether an object is a mark, or a reader could take it for one. */
export function isMark(value: object): value is Mark {
  return Object.hasOwn(value, "lc");
}
