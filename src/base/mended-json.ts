import { jsonrepair } from "jsonrepair";
import { attempted } from "./attempted.js";

/**
 * Mends small slips in JSON, and writes raw control characters as JSON does. An escape that JSON does not know is read as itself.
 * Returns an empty text if it cannot be mended.
 */
export function mendedJson(text: string): string {
  const escaped = text
    .replaceAll(/[^\P{Cc}\t\n\r]/gu, (sign) => JSON.stringify(sign).slice(1, -1))
    .replaceAll(escapes, (sign, known) => known ?? (sign === "\\" ? "\\\\" : "_"));
  return attempted(() => jsonrepair(escaped)) ?? "";
}

/** The escapes of JSON and of quotes, Markdown's underscores, and all other backslashes. */
const escapes = /(\\(?:["'\\/bfnrt\n]|u[\da-fA-F]{4}))|\\_|\\/g;
