/**
 * Finds the word that was probably meant: the one with the fewest changed letters. Returns undefined if all words need
 * many.
 */
export function similarWord(typed: string, words: readonly string[]): string | undefined {
  const [nearest] = words
    .map((word) => ({ word, changes: changesBetween(typed.toLowerCase(), word.toLowerCase()) }))
    .filter(({ word, changes }) => changes <= Math.max(1, Math.min(typed.length, word.length) / 3))
    .sort((left, right) => left.changes - right.changes);
  return nearest?.word;
}

/** Says what is possible instead of a word: the one that was probably meant, or all of them. */
export function possibleWords(typed: string, words: readonly string[]): string {
  const meant = similarWord(typed, words);
  return meant === undefined ? `Possible are: ${words.join(", ")}.` : `Did you mean ${meant}?`;
}

/** Counts the letters to put in, take out or replace to turn one word into another (Levenshtein's distance). */
function changesBetween(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (const [line, letter] of [...left].entries()) {
    const next = [line + 1];
    for (let column = 0; column < right.length; column += 1) {
      const replaced = (row[column] ?? 0) + (letter === right[column] ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
