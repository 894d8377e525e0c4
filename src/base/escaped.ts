/** Writes a text so that a regular expression takes it letter by letter. */
export function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
