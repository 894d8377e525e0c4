/** Returns the matches of a global pattern that begin at a place of a text or after it. */
export function matchesFrom(pattern: RegExp, text: string, from: number): RegExpExecArray[] {
  pattern.lastIndex = from;
  return [...text.matchAll(pattern)];
}
