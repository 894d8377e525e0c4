import { compoundsIn, pairsOf, plainText, unspacedRun, unspacedSign, wordsOf } from "../index/indexed-words.js";

/** The English words that only ask or join. They do not say what to look for. */
const stopWords = new Set(
  (
    "a about all also am an and any are as at be been but by can could did do does for from get give had has have he " +
    "her here hers him his how i if in into is it its just let like me more most my no not now of on or our out over " +
    "please say she should show so some such tell than that the their them then there these they this those to too up " +
    "us use very was we were what when where which who whom whose why will with would you your"
  ).split(" "),
);

/** The number of words from which the first and the last line of a question are also looked for by themselves. */
const manyWords = 40;
/** The largest number of words at each end of a question, and of characters. */
const mostWords = 100;
const mostCharacters = 5_000;

/**
 * Returns what a question looks for, as lists of words. A long one has often pasted lines above or below what is asked: it gets
 * a list for all of it, for its last line and for its first line. So does what is asked in a script without spaces beside many
 * words of another. A list is never empty.
 */
export function searchLists(question: string): readonly (readonly string[])[] {
  const words = searchWords(question);
  const lines = question.trim().split(/\s*\n\s*/);
  const parts = words.length > manyWords && lines.length > 1 ? [lines.at(-1) ?? "", lines[0] ?? ""] : [];
  const isBesideOthers = searchWords(question.replace(unspacedRun, " ")).length > manyWords;
  if (isBesideOthers) parts.push((question.match(unspacedRun) ?? []).join(" "));
  return [words, ...parts.map(searchWords)].filter((list) => list.length > 0);
}

/**
 * Returns the words of a question that are looked for. They have no quotation marks. Scripts without spaces are searched by
 * pairs of characters.
 */
export function searchWords(question: string): readonly string[] {
  const isLong = question.length > 2 * mostCharacters;
  const text = plainText(
    isLong ? `${question.slice(0, mostCharacters)}\n${question.slice(-mostCharacters)}` : question,
  );
  const pairs = (text.match(unspacedRun) ?? []).flatMap((run) => (unspacedSign.test(run) ? [run] : pairsOf(run)));
  const compounds = compoundsIn(text.replace(unspacedRun, " ")).filter((word) => !isStopWord(word));
  const words = [...new Set([...wordsOf(compounds), ...pairs])];
  return words.length <= 2 * mostWords ? words : [...words.slice(0, mostWords), ...words.slice(-mostWords)];
}

/** A word in capitals is a name, such as IT, or the NOT of a language. */
function isStopWord(word: string): boolean {
  const isName = word.length > 1 && word === word.toUpperCase();
  return !isName && stopWords.has(word.toLowerCase());
}
