/**
 * Returns a text with white space in the place of its code fences: what stands there is only shown. A text that is nothing but
 * fences stays as it is, because some models write all they say in a fence.
 */
export function withoutFences(text: string): string {
  const words = withoutCode(text, /```[\s\S]*?```/g);
  return /[\p{L}\p{N}]/u.test(words) ? words : text;
}

/** Returns a text of the same length with white space in the place of code. */
export function withoutCode(text: string, code: RegExp): string {
  return text.replaceAll(code, (shown) => " ".repeat(shown.length));
}
