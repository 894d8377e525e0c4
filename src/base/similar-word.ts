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

/** Counts the letters to put in, take out, replace or swap with the next to turn one word into another. */
export function changesBetween(left: string, right: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let line = 0; line < left.length; line++) {
    const next = [line + 1];
    for (let column = 0; column < right.length; column++) {
      const replaced = (row[column] ?? 0) + (left[line] === right[column] ? 0 : 1);
      const isSwapped = left[line] === right[column - 1] && left[line - 1] === right[column];
      const swapped = isSwapped ? (before[column - 1] ?? Infinity) + 1 : Infinity;
      next.push(Math.min(replaced, swapped, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row.at(-1) ?? 0;
}
