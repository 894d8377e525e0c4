import { z } from "zod";
import { checkedOption } from "../../base/options.js";
import type { Cell } from "../databases/database.js";
import { foldText } from "../values/search-text.js";

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

/** Returns the words to search for. @throws InvalidOptionError if the text is no text, has no word, or is too long. */
export function wordsOf(text: string): string[] {
  return checkedOption("text", searchWords, text);
}

/** Returns the condition that a row `texts` has all of the words, and adds its parameters to those of its statement. */
export function hasWords(words: readonly string[], parameters: Cell[]): string {
  return words
    .map((word) => parameters.push(`%${word.replaceAll(/[\\%_]/g, "\\$&")}%`))
    .map((parameter) => `texts.folded like $${parameter} escape '\\'`)
    .join(" and ");
}
