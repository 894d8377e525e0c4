/** Something found at a place of a text. */
export interface Found {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds what a pattern matches, from a place on, as often as asked. Places only go forwards, and what was found is
 * remembered, so that all the searches together pass over the text once.
 */
export class Finder<T extends Found> {
  private readonly pattern: RegExp;
  private found: T | undefined;
  private exhausted = false;

  constructor(
    private readonly text: string,
    pattern: RegExp,
    private readonly read: (match: RegExpExecArray) => T | undefined,
  ) {
    this.pattern = new RegExp(pattern);
  }

  /** The first match that begins at a place or after it. */
  from(place: number): T | undefined {
    if (this.exhausted || (this.found && this.found.start >= place)) return this.found;
    this.pattern.lastIndex = place;
    for (let match = this.pattern.exec(this.text); match; match = this.pattern.exec(this.text)) {
      this.found = this.read(match);
      if (this.found) return this.found;
    }
    this.exhausted = true;
    this.found = undefined;
    return undefined;
  }
}
