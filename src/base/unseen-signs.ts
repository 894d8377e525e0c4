/** Signs that nobody sees: control characters, halves of characters, and all that Unicode calls ignorable. Line ends are none. */
export const unseenSign = /[^\P{Cc}\t\n\v\f\r\u0085]|\p{Cs}|\p{Default_Ignorable_Code_Point}/u;

/**
 * Unseen signs that belong to writing: a joiner in an emoji or in a word of an Arabic or Indic script, one variation of an
 * emoji or a Chinese character, and the tags of a flag.
 */
export const writtenSign =
  /(?<=(?!\p{DI})[\p{ExtPict}\p{Emoji_Modifier}\p{M}\p{Script=Arabic}]|\p{ExtPict}\ufe0f)\p{Join_C}|(?<=\p{Emoji})[\ufe0e\ufe0f]|(?<=\p{Script=Han}|(?=\p{L})\p{Script=Mongolian})\p{VS}|(?<=\u{1F3F4})[\u{E0020}-\u{E007E}]{1,6}\u{E007F}/u;

/** What a page or a terminal does not show as it is: also odd line ends and other signs that only change how a text looks. */
const hidden = String.raw`${unseenSign.source}|[\v\f\u0085\u2028\u2029\p{Cf}]|\r(?!\n)`;
const anyHidden = new RegExp(hidden, "gu");
const writtenOrHidden = new RegExp(`(${writtenSign.source})|${hidden}`, "gu");

/** Shows each sign that nobody sees by its number, such as `\u{200b}`. For what a person decides about. */
export function withSeenSigns(text: string): string {
  return text.replaceAll(anyHidden, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
}

/** Shows the signs that nobody sees, apart from those that belong to writing. For what a person reads. */
export function readable(text: string): string {
  return text.replaceAll(writtenOrHidden, (sign, written?: string) => written ?? withSeenSigns(sign));
}

/** Lists the signs in a text that nobody sees, and that do not belong to writing. Each has its number, such as `U+200B`. */
export function unseenIn(text: string): string[] {
  const signs = [...text.matchAll(writtenOrHidden)].flatMap(([sign, written]) => (written ? [] : [sign]));
  return signs.map((sign) => `U+${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`);
}

/** Writes JSON in which invisible characters are escapes. The JSON has the same value. */
export function seenJson(value: unknown): string {
  const units = (sign: string) =>
    sign.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return JSON.stringify(value, null, 2).replaceAll(anyHidden, (sign) => units(sign).join(""));
}
