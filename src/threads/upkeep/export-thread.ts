import { ThreadError } from "../../base/errors.js";
import { countPrunings } from "../checkpoints/again-if-pruned.js";
import { readWholeThread } from "../checkpoints/thread-content.js";
import type { ThreadRow } from "../checkpoints/thread-row.js";
import type { Database } from "../databases/database.js";
import { itemPages } from "./copy-thread.js";

/** The format of the lines. Raise it with every change that a reader must know of. */
const FORMAT = 1;

/** Writes a thread as JSON Lines. The last one has the number of lines before it: without it they are cut off. */
export async function* exportThread(
  database: Database,
  { updatedAt: _, ...thread }: ThreadRow,
): AsyncGenerator<string> {
  let lines = 1;
  yield toLine({ type: "glassloop-thread", format: FORMAT, thread });
  for await (const part of partsOf(database, thread.id)) {
    yield toLine(part);
    lines += 1;
  }
  yield toLine({ type: "end", lines });
}

async function* partsOf(database: Database, thread: string): AsyncGenerator<object> {
  const prunings = await countPrunings(database, thread);
  const content = await readWholeThread(database, thread);
  try {
    for await (const items of itemPages(database, thread, content.hashes)) {
      for (const [hash, { type, content }] of items) yield { type: "item", hash, as: type, content };
    }
  } catch (error) {
    throw (await countPrunings(database, thread)) === prunings ? error : new ThreadError("thread-pruned", thread);
  }
  for (const { versions: _, ...checkpoint } of content.checkpoints) yield { type: "checkpoint", ...checkpoint };
  for (const version of content.versions) yield { type: "version", ...version };
  for (const write of content.writes) yield { type: "write", ...write };
}

function toLine(part: object): string {
  return `${JSON.stringify(part)}\n`;
}
