import { z } from "zod";
import { checkedOption } from "../../base/options.js";
import { type Database, optionalTextOf, type Row, textOf } from "../databases/database.js";
import { withTexts } from "../values/decode.js";
import { readItems } from "../values/items.js";
import { textNamesIn } from "../values/marks.js";
import { foldText, type Speaker, spokenTextOf } from "../values/search-text.js";
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

/** The words of a text, each once, up to a maximum, because SQLite refuses long conditions. */
const searchWords = z
  .string("give the words to search for.")
  .max(10_000, "give at most 10,000 characters to search for.")
  .transform((text) => [...new Set(foldText(text).split(/[\s\0]+/u))].filter((word) => word !== ""))
  .pipe(
    z
      .array(z.string())
      .min(1, "give at least one word to search for.")
      .max(200, "give at most 200 different words to search for."),
  );

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
  const words = checkedOption("text", searchWords, text);
  const conditions = words.map((_, index) => `texts.folded like $${index + 2} escape '\\'`).join(" and ");
  const rows = await database.all(
    // The threads are found first: one row for each of them is sorted, and not one for each text.
    `with found as materialized (select id, title, ${written("glassloop_threads.id")} as written from glassloop_threads
        where id in (select thread from glassloop_texts texts where ${conditions})
        order by written desc, id desc limit $1)
      select found.id as thread, found.title, items.type, items.content from found
      join glassloop_texts texts on texts.thread = found.id and ${conditions}
      join glassloop_items items on items.thread = found.id and items.hash = texts.hash
      order by found.written desc, found.id desc, texts.hash limit $1`,
    [limit, ...words.map((word) => `%${word.replaceAll(/[\\%_]/g, "\\$&")}%`)],
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
