import { isAscii, isUtf8 } from "node:buffer";
import { attempted } from "../../base/attempted.js";
import type { SkippedDocument } from "./parsed-document.js";

/** The largest part of the characters beyond ASCII that may be broken in UTF-8. */
const mostBroken = 1 / 10;
/** So many may be broken also in a short text, if twice as many are not. */
const fewBroken = 2;

/**
 * Decodes bytes of which the end may be missing. Never fails. Encodings: that of a byte order mark, UTF-16, UTF-8, the declared
 * one. A few broken bytes in UTF-8 become "\ufffd".
 *
 * @param charset The encoding that somebody says it is.
 * @returns The text; undefined if its encoding is not known.
 */
export function decodeText(bytes: Uint8Array, charset?: string): string | undefined {
  const encoding =
    markOf(bytes) ??
    utf16Of(bytes) ??
    (isUtf8(bytes) && !isAscii(bytes) ? "utf-8" : declaredAs(charset)) ??
    (isAlmostUtf8(bytes) ? "utf-8" : undefined);
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

function isAlmostUtf8(bytes: Uint8Array): boolean {
  let [longer, broken] = [0, 0];
  for (const one of isAscii(bytes) ? "" : new TextDecoder().decode(bytes)) {
    if (one > "\x7f") longer += 1;
    if (one === "\ufffd") broken += 1;
  }
  return broken <= longer * mostBroken || (broken <= fewBroken && longer >= 3 * broken);
}

/**
 * Finds the order of the bytes of UTF-16 by its spaces and line breaks. In the other order these are other characters, or none.
 * Characters of which both bytes are ASCII come from a text of single bytes, with a zero in it.
 *
 * @returns undefined if it is not UTF-16.
 */
function utf16Of(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, 4_000);
  if (!sample.includes(0)) return undefined;
  const [little = 0, big = 0] = ["utf-16le", "utf-16be"].map((encoding) => {
    const text = decoded(sample, encoding);
    const isText = !/[\p{Cn}\p{Co}\p{Cs}\0\ufffd]/u.test(text) && !isTwoBytesOfAscii(text);
    return isText ? (text.match(/[\n\r ]/g)?.length ?? 0) : 0;
  });
  return little > big ? "utf-16le" : big > little ? "utf-16be" : undefined;
}

function isTwoBytesOfAscii(text: string): boolean {
  const hiragana = 0x30;
  const codes = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  const isPrintable = (byte: number) => byte >= 0x09 && byte < 0x7f;
  const double = codes.filter((code) => code >> 8 !== hiragana && isPrintable(code >> 8) && isPrintable(code & 0xff));
  return double.length > (codes.length * 3) / 5;
}

/** Decodes bytes of which the end may be missing. */
function decoded(bytes: Uint8Array, encoding: string): string {
  // Node.js 20 decodes windows-1252 wrongly if it is not one of several pieces. A piece may end within a character.
  return new TextDecoder(encoding).decode(bytes, { stream: true });
}
