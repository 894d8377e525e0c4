/**
 * A citation in brackets, with the blanks before it: `[2]`, `[1, 3]`, `[1-3]`. Years have four digits, so `[2021]` is none.
 */
const number = "[^\\S\\n]{0,3}\\d{1,3}[^\\S\\n]{0,3}";
export const citationPattern = `([^\\S\\n]{0,20})\\[(${number}(?:[-–—,;]${number}){0,50})\\]`;

/** A range of more numbers is no citation. */
const widestRange = 50;

/** A citation that was read: its numbers with a source, those without one, and what is left of its text. */
export interface ReadCitation {
  readonly known: readonly number[];
  readonly unknown: readonly number[];
  readonly text: string;
}

/**
 * Reads the numbers of a citation. Returns undefined for brackets that are something else: an interval such as `[0, 1]`, as
 * sources are counted from 1.
 *
 * @param blanks The blanks before it. They go if nothing of it stays.
 * @param inside The text in the brackets.
 * @param sources The number of sources.
 */
export function readCitation(blanks: string, inside: string, sources: number): ReadCitation | undefined {
  const numbers = new Set<number>();
  for (const part of inside.split(/[,;]/)) {
    const [first = 0, last = first, ...more] = part.split(/[-–—]/).map(Number);
    if (first < 1 || last < first || last - first >= widestRange || more.length > 0) return undefined;
    for (let each = first; each <= last; each += 1) numbers.add(each);
  }
  const known = [...numbers].filter((each) => each <= sources);
  const unknown = [...numbers].filter((each) => each > sources);
  if (unknown.length === 0) return { known, unknown, text: `${blanks}[${inside}]` };
  return { known, unknown, text: known.length === 0 ? "" : `${blanks}[${known.join(", ")}]` };
}
