import { isRecord } from "../../base/is-record.js";
import { type Database, type Row, rowsOf, type Statement, textOf } from "../databases/database.js";
import { insertRows } from "../databases/insert-rows.js";

/** What a server's client keeps with a thread: JSON by name. */
export type Metadata = Readonly<Record<string, unknown>>;

interface Leaf {
  /** The keys down to the value, as JSON. */
  readonly path: string;
  /** The first key, as JSON. */
  readonly name: string;
  /** The value as JSON, with its keys in order. */
  readonly value: string;
}

/** Returns the values of metadata that are no objects. An empty object counts as a value. */
export function leavesOf(metadata: Metadata): Leaf[] {
  return Object.entries(metadata).flatMap(([name, value]) => leaves(JSON.stringify(name), [name], value));
}

function leaves(name: string, path: readonly string[], value: unknown): Leaf[] {
  if (value === undefined) return [];
  if (!isRecord(value) || Object.keys(value).length === 0) {
    return [{ name, path: JSON.stringify(path), value: canonical(value) }];
  }
  return Object.entries(value).flatMap(([key, inner]) => leaves(name, [...path, key], inner));
}

/** Writes JSON with the keys of objects in order, so that equal values have equal texts. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isRecord(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}

/** Returns the statements that set metadata of a thread. Keys that are not named stay. */
export function labelStatements(thread: string, metadata: Metadata): Statement[] {
  return [
    {
      sql: `delete from glassloop_metadata where thread = $1
        and name in (select wanted.value ->> 0 from json_array_elements($2) wanted)`,
      parameters: [thread, rowsOf(Object.keys(metadata).map((name) => [JSON.stringify(name)]))],
    },
    ...insertRows(
      "glassloop_metadata (thread, path, name, value)",
      leavesOf(metadata).map(({ path, name, value }) => [thread, path, name, value]),
    ),
  ];
}

/** Reads the metadata of threads. */
export async function readMetadata(database: Database, threads: readonly string[]): Promise<Map<string, Metadata>> {
  const rows = await database.all(
    `select l.thread, l.path, l.value from json_array_elements($1) wanted
      cross join glassloop_metadata l where l.thread = wanted.value ->> 0 order by l.thread, l.path`,
    [rowsOf(threads.map((thread) => [thread]))],
  );
  const byThread = new Map<string, Record<string, unknown>>();
  for (const row of rows) {
    const metadata = byThread.get(textOf(row, "thread")) ?? {};
    byThread.set(textOf(row, "thread"), metadata);
    setLeaf(metadata, row);
  }
  return byThread;
}

function setLeaf(metadata: Record<string, unknown>, row: Row): void {
  const keys: string[] = JSON.parse(textOf(row, "path"));
  let place = metadata;
  for (const key of keys.slice(0, -1)) {
    const inner = Object.hasOwn(place, key) ? place[key] : undefined;
    place = isRecord(inner) ? inner : define(place, key, {});
  }
  define(place, keys.at(-1) ?? "", JSON.parse(textOf(row, "value")));
}

/** Sets a key of a client, which may be "__proto__". */
function define<Value>(place: object, key: string, value: Value): Value {
  Object.defineProperty(place, key, { value, enumerable: true, configurable: true, writable: true });
  return value;
}
