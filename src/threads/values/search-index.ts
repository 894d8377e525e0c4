import { type Cell, type Database, type Statement, textOf } from "../databases/database.js";
import { foldText, spokenTextOf } from "./search-text.js";
import type { Item } from "./serialize.js";

/** Returns the statements that make the question or answer in an item searchable; none for any other item. */
export function textStatements(thread: string, item: Item): Statement[] {
  const spoken = spokenTextOf(item);
  if (spoken === undefined) return [];
  return [{ sql: insertText, parameters: [thread, item.hash, foldText(spoken.text)] }];
}

const insertText = "insert into glassloop_texts (thread, hash, folded) values ($1, $2, $3) on conflict do nothing";

const PAGE = 500;

/** Makes items searchable that are older than the search. Does nothing if that is done. */
export async function completeSearchIndex(database: Database): Promise<void> {
  const [row] = await database.all("select value from glassloop_meta where name = 'search_index'");
  if (row === undefined || textOf(row, "value") === "complete") return;
  let after: readonly Cell[] = ["", ""];
  for (;;) {
    const rows = await database.all(
      `select thread, hash, type, content from glassloop_items where (thread, hash) > ($1, $2)
        order by thread, hash limit ${PAGE}`,
      after,
    );
    const items = rows.map((row) => ({
      thread: textOf(row, "thread"),
      hash: textOf(row, "hash"),
      type: textOf(row, "type"),
      content: textOf(row, "content"),
    }));
    await database.batch(items.flatMap((item) => textStatements(item.thread, item)));
    const last = items.at(-1);
    if (last === undefined) break;
    after = [last.thread, last.hash];
  }
  await database.batch([
    { sql: "update glassloop_meta set value = 'complete' where name = 'search_index'", parameters: [] },
  ]);
}
