const MOST_CHARACTERS = 200_000;

/** JSON in a text, with a line for each field; undefined if it is none, has its lines already, or is too long to be read at once. */
export function prettyJson(text: string): string | undefined {
  if (text.length > MOST_CHARACTERS || !/^\s*[[{]/.test(text)) return undefined;
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
  return line.length < 200 ? line : JSON.stringify(value, undefined, 2);
}
