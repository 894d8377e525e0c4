import { type Cell, type Database, optionalTextOf, type Row, textOf } from "../databases/database.js";
import { withTexts } from "../values/decode.js";
import { readItems } from "../values/items.js";
import { textNamesIn } from "../values/marks.js";
import { foldText, type Speaker, spokenTextOf } from "../values/search-text.js";
import { hasWords, wordsOf } from "./has-words.js";
import { written } from "./thread-rows.js";

/** A question or an answer that was found. */
export interface SearchHit {
  readonly thread: string;
  /** The thread's first question, shortened. */
  readonly title?: string;
  readonly speaker: Speaker;
  /** The part of the text around the first word that was found. */
  readonly excerpt: string;
}

const BEFORE = 60;
const LENGTH = 200;

/**
 * Searches the questions and answers of all threads. A hit contains every word of the text, in any case and with or
 * without accents. Only the first 65,536 characters of a question or an answer are searched.
 *
 * @param limit The largest number of hits.
 * @returns The hits. Hits of the thread written last come first.
 * @throws InvalidOptionError if the text is no text, has no word, or is too long.
 */
export async function searchThreads(database: Database, text: string, limit: number): Promise<SearchHit[]> {
  const words = wordsOf(text);
  const parameters: Cell[] = [limit];
  const conditions = hasWords(words, parameters);
  const rows = await database.all(
    // The threads are found first: one row for each of them is sorted, and not one for each text.
    `with found as materialized (select id, title, ${written("glassloop_threads.id")} as written from glassloop_threads
        where id in (select thread from glassloop_texts texts where ${conditions})
        order by written desc, id desc limit $1)
      select found.id as thread, found.title, items.type, items.content from found
      join glassloop_texts texts on texts.thread = found.id and ${conditions}
      join glassloop_items items on items.thread = found.id and items.hash = texts.hash
      order by found.written desc, found.id desc, texts.hash limit $1`,
    parameters,
  );
  return (await Promise.all(rows.map((row) => toHit(database, row, words)))).flat();
}

async function toHit(database: Database, row: Row, words: readonly string[]): Promise<SearchHit[]> {
  const [thread, content] = [textOf(row, "thread"), textOf(row, "content")];
  const texts = await readItems(database, thread, textNamesIn(content));
  const spoken = spokenTextOf(withTexts({ type: textOf(row, "type"), content }, texts));
  if (spoken === undefined) return [];
  const title = optionalTextOf(row, "title");
  const { speaker, text } = spoken;
  return [{ thread, ...(title !== undefined && { title }), speaker, excerpt: excerpt(text, words) }];
}

function excerpt(text: string, words: readonly string[]): string {
  const folded = foldText(text);
  const first = Math.min(...words.map((word) => folded.indexOf(word)).filter((at) => at >= 0));
  const start = Number.isFinite(first) && first > BEFORE ? text.indexOf(" ", first - BEFORE) + 1 : 0;
  const from = start > first ? first : start;
  const part = text.slice(from, from + LENGTH).replaceAll(/\p{Surrogate}/gu, "");
  return `${from > 0 ? "…" : ""}${part}${from + LENGTH < text.length ? "…" : ""}`;
}
