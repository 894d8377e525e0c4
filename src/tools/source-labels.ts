/** The place before a bracket that begins a line of its own as in `[2] bank.md`, also below signs of Markdown. */
const label =
  /(?<=(?:^|[\v\f\u0085])[>*_#+•\t\p{Zs}-]{0,20}\\*)(?=\[[\p{Zs}\p{DI}]{0,9}\p{Nd}{1,3}[\p{Zs}\p{DI}]{0,9}\])/gmu;

/**
 * Writes a text of a source so that no line of it looks like the label of another source: `[2] bank.md` becomes `\[2] bank.md`. A tool
 * does so with the texts that it shows below its own labels. One backslash less gives the text as it was.
 */
export function withoutLabels(text: string): string {
  return text.replaceAll(label, "\\");
}
