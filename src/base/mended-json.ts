import { jsonrepair } from "jsonrepair";
import { attempted } from "./attempted.js";

/** Mends small slips in JSON, and writes raw control characters as JSON does. Returns an empty text if it cannot be mended. */
export function mendedJson(text: string): string {
  const escaped = text.replaceAll(/[^\P{Cc}\t\n\r]/gu, (sign) => JSON.stringify(sign).slice(1, -1));
  return attempted(() => jsonrepair(escaped)) ?? "";
}
