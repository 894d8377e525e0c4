import { type Database, type Row, textOf } from "../databases/database.js";
import type { Serialized } from "./serialize.js";

// A database remembers each statement that it saw. Three sizes keep their number small.
const CHUNKS = [4, 32, 256];

/** Reads the items with these hashes. A hash without an item is not in the result. */
export async function readItems(
  database: Database,
  thread: string,
  hashes: Iterable<string>,
): Promise<Map<string, Serialized>> {
  const wanted = [...new Set(hashes)];
  const rows: Promise<Row[]>[] = [];
  for (let start = 0; start < wanted.length; ) {
    const rest = wanted.length - start;
    const chunk = CHUNKS.find((size) => size >= rest) ?? 256;
    rows.push(readChunk(database, thread, wanted.slice(start, start + chunk), chunk));
    start += chunk;
  }
  return new Map(
    (await Promise.all(rows))
      .flat()
      .map((row) => [textOf(row, "hash"), { type: textOf(row, "type"), content: textOf(row, "content") }]),
  );
}

function readChunk(database: Database, thread: string, hashes: string[], size: number): Promise<Row[]> {
  const places = Array.from({ length: size }, (_, index) => `$${index + 2}`).join(", ");
  const padding = Array.from({ length: size - hashes.length }, () => hashes[0] ?? "");
  return database.all(`select hash, type, content from glassloop_items where thread = $1 and hash in (${places})`, [
    thread,
    ...hashes,
    ...padding,
  ]);
}
