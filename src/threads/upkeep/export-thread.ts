import { createHash } from "node:crypto";
import { ThreadError } from "../../base/errors.js";
import { countPrunings } from "../checkpoints/again-if-pruned.js";
import { explainDamage } from "../checkpoints/damaged-checkpoints.js";
import { pinnedIn } from "../checkpoints/pins.js";
import { contentOf, readThreadContent, type WholeContent } from "../checkpoints/thread-content.js";
import type { ThreadRow } from "../checkpoints/thread-row.js";
import type { Database } from "../databases/database.js";
import { readItems } from "../values/items.js";
import { FILE_FORMAT, type ThreadPart } from "./thread-file.js";

/** Writes a thread as JSON Lines, in the format of `thread-file.ts`. */
export async function* exportThread(
  database: Database,
  { updatedAt: _, ...thread }: ThreadRow,
): AsyncGenerator<string> {
  const sum = createHash("sha256");
  let lines = 0;
  const toLine = (value: object) => {
    const line = `${JSON.stringify(value)}\n`;
    sum.update(line);
    lines += 1;
    return line;
  };
  yield toLine({ type: "glassloop-thread", format: FILE_FORMAT, thread });
  for await (const part of partsOf(database, thread.id)) yield toLine(part);
  yield `${JSON.stringify({ type: "end", lines, sha256: sum.digest("hex") })}\n`;
}

async function* partsOf(database: Database, thread: string): AsyncGenerator<ThreadPart> {
  const prunings = await countPrunings(database, thread);
  const pins = await pinnedIn(database, thread);
  const rows = await readThreadContent(database, thread);
  const content = await explainDamage(thread, async () => contentOf(rows, () => true));
  yield* itemsOf(database, thread, content, prunings);
  for (const { namespace, id, parent, shape, body, metadata } of content.checkpoints) {
    yield { type: "checkpoint", namespace, id, parent, shape, body, metadata };
  }
  for (const version of content.versions) yield { type: "version", ...version };
  for (const write of content.writes) yield { type: "write", ...write };
  for (const action of content.journal) yield { type: "action", ...action };
  for (const checkpoint of pins) yield { type: "pin", checkpoint };
}

const PAGE = 256;

async function* itemsOf(
  database: Database,
  thread: string,
  { hashes }: WholeContent,
  prunings: number | undefined,
): AsyncGenerator<ThreadPart> {
  const wanted = [...hashes];
  for (let start = 0; start < wanted.length; start += PAGE) {
    const page = wanted.slice(start, start + PAGE);
    const items = await readItems(database, thread, page);
    if (items.size < page.length) throw await missingItem(database, thread, prunings);
    for (const [hash, { type, content }] of items) {
      yield { type: "item", hash, as: type === "bytes" ? type : "json", content };
    }
  }
}

/** Explains why an item is missing that a checkpoint needs. */
async function missingItem(database: Database, thread: string, prunings: number | undefined): Promise<Error> {
  const isPruned = (await countPrunings(database, thread)) !== prunings;
  return isPruned ? new ThreadError("thread-pruned", thread) : new ThreadError("damaged-thread", thread);
}
