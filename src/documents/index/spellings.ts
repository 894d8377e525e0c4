import { z } from "zod";
import { changesBetween } from "../../base/similar-word.js";
import type { SqliteStatement } from "../../sqlite/sqlite-server.js";

/** The words that may be meant by others. Shorter ones have too many neighbours, and longer ones are data. */
const spelled = /^\p{L}{4,30}$/u;
/** The length from which a word may have two slips. */
const longWord = 8;

const spellingRow = z.object({ asked: z.string(), word: z.string() });

/** Makes the statement that keeps the words of texts, so that a word with a slip can be told from them. */
export function spellingRows(texts: readonly string[]): SqliteStatement {
  const words = [...new Set(texts.flatMap((text) => text.split(" ")))].filter((word) => spelled.test(word));
  const sql = "insert or ignore into spellings (word, reversed) select value ->> 0, value ->> 1 from json_each(?1)";
  return { sql, parameters: [JSON.stringify(words.map((word) => [word, reversed(word)]))] };
}

/**
 * Writes the query for words of the index that are written almost like words that the folder does not have. One slip leaves the
 * first or the second half of a word as it is: words with the same half are looked at.
 */
export function spellingQuery(words: readonly string[], folder: number): SqliteStatement {
  const asked = words
    .filter((word) => spelled.test(word))
    .map((word) => {
      const half = (word.length - 1) >> 1;
      return { word, slips: mostSlips(word), start: word.slice(0, half), end: reversed(word.slice(half + 1)) };
    });
  const similar = (column: string, half: string) => `select asked, word from unknown cross join spellings
    where ${column} >= ${half} and ${column} < ${half} || char(0x10ffff) and word <> asked and abs(length(word) - length(asked)) <= slips`;
  return {
    sql: `with unknown as materialized (
        select value ->> 'word' as asked, value ->> 'slips' as slips, value ->> 'start' as start, value ->> 'end' as ending
        from json_each(?1) where not exists (
          select 1 from passage_words cross join passages on passages.id = passage_words.rowid
          where passage_words match '"' || (value ->> 'word') || '"' and passages.folder = ?2
        )
      )
      ${similar("word", "start")} union ${similar("reversed", "ending")}`,
    parameters: [JSON.stringify(asked), folder],
  };
}

/** Returns the words that are most probably meant, of the rows of {@link spellingQuery}. */
export function meantWords(rows: readonly unknown[]): readonly string[] {
  const changed = z
    .array(spellingRow)
    .parse(rows)
    .map(({ asked, word }) => ({ asked, word, changes: changesBetween(asked, word) }));
  const fewest = new Map<string, number>();
  for (const { asked, changes } of changed) fewest.set(asked, Math.min(changes, fewest.get(asked) ?? mostSlips(asked)));
  return [...new Set(changed.filter(({ asked, changes }) => changes === fewest.get(asked)).map(({ word }) => word))];
}

function mostSlips(word: string): number {
  return word.length < longWord ? 1 : 2;
}

function reversed(word: string): string {
  return [...word].reverse().join("");
}
