/** The problem of a call with a string that has two readings. */
export const ambiguousBackslash =
  "Its input has a backslash that may be meant as itself, as in a path or a pattern, or as the beginning of an escape, as in \\n. Write each backslash that is meant as itself as \\\\.";

/**
 * Tells whether strings were read in one of two ways in which they may be meant: `"C:\new"` may be a path or have a line break. A
 * string that was read as it is written has one meaning, also with `\d` or `\$`, which JSON does not know.
 *
 * @param written The text of a call, in which strings are in quotes.
 * @param read What was read from it.
 */
export function isAmbiguous(written: string, read: unknown): boolean {
  const texts = JSON.stringify(read);
  // Nobody means a backspace or a form feed: they come from \bin and \frac.
  if (/\\[bf]/.test(withoutPairs(texts))) return true;
  return [...written.matchAll(quoted)].some(([string]) => {
    const inside = string.slice(1, -1).trim();
    if (hasTwoReadings(withoutPairs(inside)) && !texts.includes(JSON.stringify(inside).slice(1, -1))) return true;
    // A string may hold JSON.
    return inside.includes('\\"') && isAmbiguous(inside.replaceAll(/\\(["\\])/g, "$1"), read);
  });
}

const quoted = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'"\\\n]|\\[^\n])*'/g;

/** Writes doubled backslashes as a sign of their own. */
function withoutPairs(text: string): string {
  return text.replaceAll("\\\\", "\0");
}

const drive = /(?<!\w)[a-z]:\\(?![nrt](?!\w))\w/i;
const file = /^[\w.-]+(?:[\\\0][\w-]+)+\.[a-z]\w{0,4}$/i;
const unknownEscape = /\\[^\W_bfnrtu]/;

/** Tells whether the inside of a string may be a path or a pattern, and something else. */
function hasTwoReadings(inside: string): boolean {
  return drive.test(inside) || file.test(inside) || (unknownEscape.test(inside) && /\0|\\u/.test(inside));
}
