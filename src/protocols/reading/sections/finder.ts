/** A part of a text that was found. */
export interface Found {
  readonly start: number;
  readonly end: number;
}

/** Returns the place of a match. */
export function toFound(match: RegExpExecArray): Found {
  return { start: match.index, end: match.index + match[0].length };
}

/**
 * A finder of things in a text, from a place onwards. Its places only go forwards, and it remembers its last find. All
 * searches together pass over the text once.
 */
export class Finder<T extends Found> {
  private found: T | undefined;
  private exhausted = false;

  /**
   * Makes a finder.
   *
   * @param find Returns the first thing at a place or after it. It must never return the same thing twice.
   */
  constructor(private readonly find: (place: number) => T | undefined) {}

  /** Returns the first thing that begins at a place or after it. */
  from(place: number): T | undefined {
    while (!this.exhausted && (this.found === undefined || this.found.start < place)) {
      this.found = this.find(place);
      this.exhausted = this.found === undefined;
    }
    return this.found;
  }
}

/**
 * Makes a finder for the matches of a global pattern. It skips a match that `read` returns as undefined. The same
 * pattern may serve other searches, too.
 */
export function patternFinder<T extends Found = Found>(
  text: string,
  pattern: RegExp,
  read: (match: RegExpExecArray) => T | undefined,
): Finder<T> {
  let searched = 0;
  return new Finder((place) => {
    for (searched = Math.max(place, searched); ; ) {
      pattern.lastIndex = searched;
      const match = pattern.exec(text);
      if (!match) return undefined;
      searched = pattern.lastIndex;
      const found = read(match);
      if (found) return found;
    }
  });
}

/** Yields everything that a finder finds, from the beginning of its text. */
export function* all<T extends Found>(finder: Finder<T>): Generator<T> {
  for (let found = finder.from(0); found; found = finder.from(found.end)) yield found;
}
