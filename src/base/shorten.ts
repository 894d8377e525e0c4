/** A text of at most so many characters, and a sign that more was there. */
export function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** A text on one line, with single spaces. */
export function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
