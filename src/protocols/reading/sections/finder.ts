/** Something found at a place of a text. */
export interface Found {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds things in a text, from a place on, as often as asked. Places only go forwards and what was found is remembered,
 * so that all the searches together pass over the text once.
 */
export class Finder<T extends Found> {
  private found: T | undefined;
  private exhausted = false;

  /** @param find The first thing at a place or after it, and never one that it has given before. */
  constructor(private readonly find: (place: number) => T | undefined) {}

  /** The first one that begins at a place or after it. */
  from(place: number): T | undefined {
    while (!this.exhausted && (this.found === undefined || this.found.start < place)) {
      this.found = this.find(place);
      this.exhausted = this.found === undefined;
    }
    return this.found;
  }
}

/** Finds the matches of a global pattern, which may serve other searches too, for which there is something to be read. */
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
