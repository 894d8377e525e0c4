import { isUtf8 } from "node:buffer";
import { attempted } from "../../base/attempted.js";

/**
 * Decodes bytes of which the end may be missing. Never fails. Encodings: that of a byte order mark, the declared one, UTF-8,
 * else windows-1252.
 *
 * @param charset The encoding that somebody says it is. A mark in front of the bytes counts more.
 */
export function decodeText(bytes: Uint8Array, charset?: string): string {
  const encoding =
    markOf(bytes) ??
    attempted(() => (charset === undefined ? undefined : new TextDecoder(charset).encoding)) ??
    (isUtf8(bytes) ? "utf-8" : "windows-1252");
  // Node.js 20 decodes windows-1252 wrongly if it is not one of several pieces. A piece may end within a character.
  return new TextDecoder(encoding).decode(bytes, { stream: true });
}

/** Finds the encoding that a page of HTML says it has. */
export function charsetIn(html: Uint8Array): string | undefined {
  return charsetOf(new TextDecoder("latin1").decode(html.subarray(0, 2048)));
}

/** Finds `charset=…` in a text, such as a media type. */
export function charsetOf(text: string): string | undefined {
  return /charset\s*=\s*["']?([\w-]+)/i.exec(text)?.[1];
}

function markOf([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}
