/** Shorter JSON is read as it is; longer JSON is not read at once. */
const [FEWEST_CHARACTERS, MOST_CHARACTERS] = [160, 200_000];

/** JSON in a text, with a line for each field; undefined if there is none, or if it has its lines already. */
export function prettyJson(text: string): string | undefined {
  if (text.length < FEWEST_CHARACTERS || text.length > MOST_CHARACTERS || !/^\s*[[{]/.test(text)) return undefined;
  try {
    const pretty = JSON.stringify(JSON.parse(text), undefined, 2);
    return pretty === text ? undefined : pretty;
  } catch {
    return undefined;
  }
}

/** A text as it is, any other value as JSON: in one line, if it is short. */
export function inText(value: unknown): string {
  if (typeof value === "string") return value;
  const line = JSON.stringify(value) ?? "";
  return line.length < FEWEST_CHARACTERS ? line : JSON.stringify(value, undefined, 2);
}
