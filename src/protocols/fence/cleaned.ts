/** Line separators that are no line feed. A carriage return before a line feed belongs to it. */
const oddSeparators = /\r(?!\n)|[\v\f\u0085\u2028\u2029]/g;

/** Signs that nobody sees: control characters, halves of characters, and all that Unicode calls ignorable. */
const unseen = /[^\P{Cc}\t\n\r]|\p{Cs}|\p{Default_Ignorable_Code_Point}/u;

/**
 * Unseen signs that belong to writing: a joiner in an emoji or in a word of an Arabic or Indic script, one variation of an
 * emoji or a Chinese character, and the tags of a flag.
 */
const written =
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{M}\p{Script=Arabic}])\p{Join_Control}|(?<=[\p{Emoji}\p{Script=Han}\p{Script=Mongolian}])\p{Variation_Selector}|(?<=\u{1F3F4})[\u{E0020}-\u{E007E}]{1,6}\u{E007F}/u;

const unwritten = new RegExp(`(${written.source})|${unseen.source}`, "gu");

/**
 * Removes the signs that nobody sees, as they hide words and split labels. Each odd line separator becomes a line feed, as
 * models and people read it so. A text without such signs stays as it is.
 */
export function cleaned(text: string): string {
  const lines = text.replaceAll(oddSeparators, "\n");
  return unseen.test(lines) ? lines.replaceAll(unwritten, (_: string, kept = "") => kept) : lines;
}
