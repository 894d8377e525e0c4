/** The deepest nesting of a call's arguments, and the most characters in them. Deeper JSON cannot be written by Node.js. */
const deepest = 200;
const mostCharacters = 500_000;

/** Returns what is wrong with the size of a call's arguments, in words for the model. Returns undefined if it is fine. */
export function sizeComplaint(args: unknown): string | undefined {
  let characters = 0;
  let level: unknown[] = [args];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) return `Its arguments are nested more than ${deepest} levels deep. Make them flat.`;
    characters += level.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 1), 0);
    if (characters > mostCharacters) {
      return `Its arguments have more than ${mostCharacters} characters. Make them shorter, or make several calls.`;
    }
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []));
  }
  return undefined;
}
