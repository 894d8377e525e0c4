/** Writes a text so that Markdown does not read headings, lines or code into it. */
export function plainLines(text: string): string {
  return text.replace(/^(?=[ \t]{0,3}(?:#{1,6}(?:\s|$)|```|~~~|=+[ \t]*$|-{3,}[ \t]*$))[ \t]*/gm, "$&\\");
}
