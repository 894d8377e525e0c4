/** Cuts a text to `most` characters. A text that was cut ends with "…". */
export function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** Writes a text on one line, with single spaces. */
export function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
