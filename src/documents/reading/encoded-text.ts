import { isAscii, isUtf8 } from "node:buffer";
import { attempted } from "../../base/attempted.js";
import type { SkippedDocument } from "./parsed-document.js";
import { decoded, recognisedEncoding, utf16Of } from "./recognised-encoding.js";

/** The largest part of the bytes that may be unreadable. */
const mostUnreadable = 1 / 200;

/**
 * Decodes bytes of which the end may be missing. Never fails. Encodings: that of a byte order mark, UTF-16, UTF-8, the
 * declared one, one in which the text reads like a language. Some broken bytes do no harm: they become "\ufffd".
 *
 * @param charset The encoding that somebody says it is.
 * @returns The text; undefined if its encoding is not known.
 */
export function decodeText(bytes: Uint8Array, charset?: string): string | undefined {
  const encoding =
    markOf(bytes) ??
    utf16Of(bytes) ??
    (isUtf8(bytes) && !isAscii(bytes) ? "utf-8" : declaredAs(charset)) ??
    recognisedEncoding(bytes) ??
    (isAlmostAscii(bytes) ? "utf-8" : undefined);
  return encoding && decoded(bytes, encoding);
}

/** Says why bytes are no text, or none that can be read. */
export function noText(bytes: Uint8Array): SkippedDocument {
  const why = bytes.includes(0) ? "it is not a text" : "its encoding is not known. Save it as UTF-8";
  return { kind: "skipped", why };
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

/** Many texts that are said to be UTF-8 or UTF-16 are not. Those that are need not say so. */
function declaredAs(charset: string | undefined): string | undefined {
  const encoding = attempted(() => (charset === undefined ? undefined : new TextDecoder(charset).encoding));
  return encoding?.startsWith("utf-") ? undefined : encoding;
}

function isAlmostAscii(bytes: Uint8Array): boolean {
  return bytes.filter((byte) => byte > 0x7f).length <= bytes.length * mostUnreadable;
}
