import { type Database, rowsOf, textOf } from "../databases/database.js";
import type { Serialized } from "./serialize.js";

/** Reads the items with these hashes. A hash without an item is not in the result. */
export async function readItems(
  database: Database,
  thread: string,
  hashes: Iterable<string>,
): Promise<Map<string, Serialized>> {
  const wanted = [...new Set(hashes)].map((hash) => [hash]);
  const rows = wanted.length === 0 ? [] : await database.all(itemQuery, [thread, rowsOf(wanted)]);
  return new Map(
    rows.map((row) => [textOf(row, "hash"), { type: textOf(row, "type"), content: textOf(row, "content") }]),
  );
}

// After "cross join" SQLite begins with the list. It could begin with all items of the thread.
const itemQuery = `select i.hash, i.type, i.content from json_array_elements($2) wanted cross join glassloop_items i
  where i.thread = $1 and i.hash = wanted.value ->> 0`;
