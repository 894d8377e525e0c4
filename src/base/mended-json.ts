import { jsonrepair } from "jsonrepair";
import { attempted } from "./attempted.js";

/**
 * Mends small slips in JSON, and writes raw control characters as JSON does. An escape that JSON does not know is read as itself.
 * Returns an empty text if it cannot be mended, or if words or dots would be lost: `{"command": "wget https://x "y""}` is no
 * `{"command": "wget https:"}`, and `[1, ..., 9]` is no `[1, 9]`. Comments may be lost.
 */
export function mendedJson(text: string): string {
  const escaped = text
    .replaceAll(/[^\P{Cc}\t\n\r]/gu, (sign) => JSON.stringify(sign).slice(1, -1))
    .replaceAll(escapes, (sign, known) => known ?? (sign === "\\" ? "\\\\" : "_"));
  const mended = attempted(() => jsonrepair(escaped)) ?? "";
  return isWithin(wordsIn(escaped.replaceAll(comments, "$1")), wordsIn(mended)) ? mended : "";
}

/**
 * Comments, which stand after a space or a sign: the `//` of an address does not. One that is open ends at the next one, so that
 * none is looked at twice.
 */
const comments = /(^|[\s,[{(])(?:\/\/[^\n]*|\/\*(?:(?!\/\*|\*\/)[\s\S])*\*\/)/g;

/** Returns the letters, the digits and the dots of an omission. A constant of Python or JavaScript counts as that of JSON. */
function wordsIn(json: string): string {
  const constants = json.replaceAll(/\b(?:None|undefined|NaN)\b/g, "null");
  return constants.replaceAll(/\.{2,}|[^\p{L}\p{N}]/gu, (sign) => (sign.length > 1 ? "…" : "")).toLowerCase();
}

/** Tells whether the signs of a text stand in another one in the same order. */
function isWithin(part: string, whole: string): boolean {
  let place = 0;
  for (const sign of part) {
    place = whole.indexOf(sign, place) + 1;
    if (place === 0) return false;
  }
  return true;
}

/** The escapes of JSON and of quotes, Markdown's underscores, and all other backslashes. */
const escapes = /(\\(?:["'\\/bfnrt\n]|u[\da-fA-F]{4}))|\\_|\\/g;
