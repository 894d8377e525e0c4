/** Joins blocks of text with an empty line between them. It leaves out empty blocks. */
export function paragraphs(...blocks: readonly string[]): string {
  return blocks.filter((block) => block !== "").join("\n\n");
}
