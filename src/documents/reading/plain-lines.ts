/**
 * Writes a text so that Markdown does not read headings, lines or code into it.
 *
 * A worker gets the source text of this class. So the class uses nothing from outside.
 */
export class PlainLines {
  write(text: string): string {
    return text.replace(/^(?=[ \t]{0,3}(?:#{1,6}(?:\s|$)|```|~~~|=+[ \t]*$|-{3,}[ \t]*$))[ \t]*/gm, "$&\\");
  }
}
