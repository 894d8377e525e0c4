import { isPlainObject } from "../../base/plain-data.js";
import { isMessageJson } from "../../langgraph/message-form.js";
import { type ChannelVersion, rowsOf, type ThreadCache } from "./cache.js";
import { type Entry, ListVersion } from "./list-version.js";
import { itemsOf, type LongTexts } from "./long-texts.js";
import { type Item, type Serialized, serialize } from "./serialize.js";

/** The longest text that is written into a row itself. A longer text is an item, and is kept once in the thread. */
const INLINE_CHARACTERS = 200;
/**
 * The length from which a list inside an object is written apart. The object's text does not grow with the list then.
 */
const LONG_LIST = 8;
/**
 * A list may be read from this many rows, and one more for every four elements. After that a row refers to all elements, so
 * that a long thread opens faster. This costs about four references for each version. Short threads have no such row.
 */
const MOST_ROWS = 128;

/** A value in two forms: one for its row, and one for the cache. */
export interface EncodedValue {
  /** The JSON of a {@link StoredValue}. */
  readonly body: string;
  /** True if the value can only be read together with the version that it is based on. */
  readonly based: boolean;
  readonly items: readonly Item[];
  readonly version: ChannelVersion;
  /** The elements of the lists in the value, with their entries. */
  readonly elements: readonly (readonly [element: unknown, entry: Entry])[];
}

/**
 * Makes a value ready to be stored. A list is written as the elements that it adds to the base version, and now and then
 * as a whole.
 *
 * @param texts The memory of the thread's long texts. Each of them becomes an item of its own.
 * @param base The value that the channel held before, on the same branch.
 * @param known The cache that knows which elements are stored. Without it every element is turned into text to be
 *   compared.
 */
export function encodeValue(
  value: unknown,
  texts: LongTexts,
  base?: ChannelVersion,
  known?: ThreadCache,
): EncodedValue {
  if (isList(value)) {
    const isWhole = needsManyRows(base, [value]);
    const list = encodeList(value, texts, base?.kind === "list" ? base.list : undefined, known, isWhole);
    const rows = (list.based ? rowsOf(base) : 0) + 1;
    return { ...list, version: { kind: "list", list: list.version, rows } };
  }
  if (isPlainObject(value)) {
    const longLists = Object.entries(value).filter(isLongList);
    if (longLists.length > 0) return encodeObject(value, longLists, texts, base, known);
  }
  const { body, serialized, items } = encodeEntry(value, texts);
  return { body, items, based: false, version: { kind: "plain", serialized }, elements: [] };
}

function needsManyRows(base: ChannelVersion | undefined, lists: readonly (readonly unknown[])[]): boolean {
  const length = lists.reduce((sum, list) => sum + list.length, 0);
  return rowsOf(base) > MOST_ROWS + length / 4;
}

interface EncodedEntry {
  readonly body: string;
  readonly serialized: Serialized;
  readonly items: readonly Item[];
}

function encodeEntry(value: unknown, texts: LongTexts): EncodedEntry {
  const text = serialize(value, texts.nameOf);
  // Messages are always items, however short they are, because search reads items.
  const isShort = text.content.length <= INLINE_CHARACTERS && text.texts === undefined;
  if (text.type === "json" && isShort && !isMessageJson(text.content)) {
    return { body: `[${text.content}]`, serialized: text, items: [] };
  }
  const items = itemsOf(text);
  return { body: `"${items.map(({ hash }) => hash).join(" ")}"`, serialized: text, items };
}

type EncodedList = Omit<EncodedValue, "version"> & { readonly version: ListVersion };

function encodeList(
  list: readonly unknown[],
  texts: LongTexts,
  base: ListVersion | undefined,
  known: ThreadCache | undefined,
  isWhole: boolean,
): EncodedList {
  // An element that is the same object as before is equal without any work. A copy is turned into text and compared.
  const same = countWhile(list, (element, index) => isEntry(known?.entryOf(element), base?.at(index)));
  const rest = list.slice(same).map((element) => encodeElement(element, texts, known));
  const equal = countWhile(rest, ({ entry }, index) => isEntry(entry, base?.at(same + index)));
  const added = rest.slice(equal);
  const kept = same + equal;
  const entries = added.map(({ entry }) => entry);
  const version = ListVersion.of(base, kept, entries);
  return {
    body: isWhole ? listBody(0, version.entries()) : listBody(kept, entries),
    based: kept > 0 && !isWhole,
    items: added.flatMap(({ items }) => items),
    version,
    elements: rest.map(({ element, entry }, index) => [element, (index < equal && base?.at(same + index)) || entry]),
  };
}

function listBody(kept: number, entries: readonly Entry[]): string {
  return `{"kept":${kept},"items":[${entries.map(({ reference }) => reference).join(",")}]}`;
}

function countWhile<T>(list: readonly T[], holds: (element: T, index: number) => boolean): number {
  const end = list.findIndex((element, index) => !holds(element, index));
  return end === -1 ? list.length : end;
}

function isEntry(entry: Entry | undefined, before: Entry | undefined): boolean {
  return entry !== undefined && entry.reference === before?.reference;
}

interface EncodedElement {
  readonly element: unknown;
  readonly entry: Entry;
  readonly items: readonly Item[];
}

function encodeElement(element: unknown, texts: LongTexts, known: ThreadCache | undefined): EncodedElement {
  const entry = known?.entryOf(element);
  if (entry !== undefined) return { element, entry, items: [] };
  const { body, serialized, items } = encodeEntry(element, texts);
  return { element, entry: { reference: body, serialized }, items };
}

function encodeObject(
  value: Readonly<Record<string, unknown>>,
  longLists: readonly (readonly [name: string, list: readonly unknown[]])[],
  texts: LongTexts,
  base: ChannelVersion | undefined,
  known: ThreadCache | undefined,
): EncodedValue {
  const baseLists = base?.kind === "object" ? base.lists : undefined;
  const others = { ...value, ...Object.fromEntries(longLists.map(([name]) => [name, null])) };
  const shell = serialize(others, texts.nameOf);
  const [, ...shellTexts] = itemsOf(shell);
  // The row stands alone only if all of its lists are whole.
  const isWhole = needsManyRows(
    base,
    longLists.map(([, list]) => list),
  );
  const lists = longLists.map(([name, list]) => ({
    name,
    list: encodeList(list, texts, baseLists?.get(name), known, isWhole),
  }));
  const bodies = lists.map(({ name, list }) => `${JSON.stringify(name)}:${list.body}`);
  const based = lists.some(({ list }) => list.based);
  return {
    body: `{"object":${shell.content},${textsPart(shellTexts)}"lists":{${bodies.join(",")}}}`,
    based,
    items: [...shellTexts, ...lists.flatMap(({ list }) => list.items)],
    version: {
      kind: "object",
      shell,
      lists: new Map(lists.map(({ name, list }) => [name, list.version])),
      rows: (based ? rowsOf(base) : 0) + 1,
    },
    elements: lists.flatMap(({ list }) => list.elements),
  };
}

function textsPart(texts: readonly Item[]): string {
  return texts.length === 0 ? "" : `"texts":${JSON.stringify(texts.map(({ hash }) => hash))},`;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0;
}

function isLongList(property: [string, unknown]): property is [string, readonly unknown[]] {
  return Array.isArray(property[1]) && property[1].length >= LONG_LIST;
}
