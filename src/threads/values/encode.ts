import { type ChannelVersion, type Entry, entriesOf, type ListVersion, type ThreadCache } from "./cache.js";
import { isPlainObject } from "./plain-json.js";
import type { Serialized } from "./serialize.js";
import type { ValueTexts } from "./texts.js";

/** What is shorter than this is written where it is used; the rest is kept once, as an item. */
const INLINE_CHARACTERS = 200;
/** A list inside an object is written apart from this length on, so that a growing one does not make its object grow. */
const LONG_LIST = 8;

/** Content that is kept once in a thread. */
export interface Item extends Serialized {
  readonly hash: string;
}

/** A value as it is to be written, and as it is to be remembered. */
export interface EncodedValue {
  /** The JSON of a {@link StoredValue}. */
  readonly body: string;
  /** Whether it can be read only together with the version it is based on. */
  readonly based: boolean;
  readonly items: readonly Item[];
  readonly version: ChannelVersion;
  /** The elements of lists that were written, with their entries. */
  readonly elements: readonly (readonly [element: unknown, entry: Entry])[];
}

/**
 * Makes a value ready to be written. Lists are written as what they add to the version they are based on.
 *
 * @param known Knows the elements that are stored as they are; without it every element is written to be compared.
 * @param base What the channel held before, in the same branch.
 */
export function encodeValue(
  texts: ValueTexts,
  value: unknown,
  known?: ThreadCache,
  base?: ChannelVersion,
): EncodedValue {
  if (isList(value)) {
    const list = encodeList(texts, value, known, base?.kind === "list" ? base.list : undefined);
    return { ...list, version: { kind: "list", list: list.version } };
  }
  if (isPlainObject(value)) {
    const longLists = Object.entries(value).filter(isLongList);
    if (longLists.length > 0) return encodeObject(texts, value, longLists, known, base);
  }
  const { body, serialized, items } = encodeEntry(texts, value);
  return { body, items, based: false, version: { kind: "plain", serialized }, elements: [] };
}

interface EncodedEntry {
  readonly body: string;
  readonly serialized: Serialized;
  readonly items: readonly Item[];
}

function encodeEntry(texts: ValueTexts, value: unknown): EncodedEntry {
  const text = texts.of(value);
  if (text.type === "json" && text.content.length <= INLINE_CHARACTERS && !isMessage(text)) {
    return { body: `[${text.content}]`, serialized: text, items: [] };
  }
  return { body: `"${text.hash}"`, serialized: text, items: [text] };
}

/** Messages are always items, however short: what is said in a thread is searched there. */
function isMessage({ content }: Serialized): boolean {
  return content.startsWith('{"lc":1');
}

type EncodedList = Omit<EncodedValue, "version"> & { readonly version: ListVersion };

function encodeList(
  texts: ValueTexts,
  list: readonly unknown[],
  known: ThreadCache | undefined,
  base: ListVersion | undefined,
): EncodedList {
  const before = base === undefined ? [] : entriesOf(base);
  // Elements that are the same objects need not be written to be compared; copies of them do.
  const same = countWhile(list, (element, index) => isEntry(known?.entryOf(element), before[index]));
  const rest = list.slice(same).map((element) => encodeElement(texts, element, known));
  const equal = countWhile(rest, ({ entry }, index) => isEntry(entry, before[same + index]));
  const added = rest.slice(equal);
  const kept = same + equal;
  return {
    body: `{"kept":${kept},"items":[${added.map(({ entry }) => entry.reference).join(",")}]}`,
    based: kept > 0,
    items: added.flatMap(({ items }) => items),
    version: { base: kept > 0 ? base : undefined, kept, added: added.map(({ entry }) => entry) },
    elements: rest.map(({ element, entry }, index) => [element, (index < equal && before[same + index]) || entry]),
  };
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

function encodeElement(texts: ValueTexts, element: unknown, known: ThreadCache | undefined): EncodedElement {
  const entry = known?.entryOf(element);
  if (entry !== undefined) return { element, entry, items: [] };
  const { body, serialized, items } = encodeEntry(texts, element);
  return { element, entry: { reference: body, serialized }, items };
}

function encodeObject(
  texts: ValueTexts,
  value: Readonly<Record<string, unknown>>,
  longLists: readonly (readonly [name: string, list: readonly unknown[]])[],
  known: ThreadCache | undefined,
  base: ChannelVersion | undefined,
): EncodedValue {
  const baseLists = base?.kind === "object" ? base.lists : undefined;
  const shell = texts.ofShell(
    value,
    longLists.map(([name]) => name),
  );
  const lists = longLists.map(([name, list]) => ({ name, list: encodeList(texts, list, known, baseLists?.get(name)) }));
  const bodies = lists.map(({ name, list }) => `${JSON.stringify(name)}:${list.body}`);
  return {
    body: `{"object":${shell.content},"lists":{${bodies.join(",")}}}`,
    based: lists.some(({ list }) => list.based),
    items: lists.flatMap(({ list }) => list.items),
    version: { kind: "object", shell, lists: new Map(lists.map(({ name, list }) => [name, list.version])) },
    elements: lists.flatMap(({ list }) => list.elements),
  };
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0;
}

function isLongList(property: [string, unknown]): property is [string, readonly unknown[]] {
  return Array.isArray(property[1]) && property[1].length >= LONG_LIST;
}
