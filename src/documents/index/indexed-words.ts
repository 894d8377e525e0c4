/** The scripts without spaces between words. Korean has spaces, but none before a word's endings. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/**
 * Makes a text ready for the index. Each character gets one form, and a possessive 's is removed. Each character of
 * Chinese, Japanese and Korean gets spaces around it, so that it is a word of its own.
 */
export function searchableText(text: string): string {
  return plainText(text).replace(unspaced, " $& ");
}

/** Gives each character one form, and removes a possessive 's. */
export function plainText(text: string): string {
  return text
    .normalize("NFKC")
    .replaceAll("’", "'")
    .replace(/(?<=\p{L})'s\b/gu, "");
}
