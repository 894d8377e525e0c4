/** A text on one line, of which as much is kept as a line can show. */
export function oneLine(text: string, most = 400): string {
  const line = text
    .slice(0, 2 * most)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > most || text.length > 2 * most ? `${line.slice(0, most)}…` : line;
}
