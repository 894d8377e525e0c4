import { isPlainObject } from "./plain-data.js";

/** Tells whether a text is an integer that JavaScript may round, as its numbers hold 53 bits. */
export function isLongInteger(text: string): boolean {
  return /^[-+]?\d+$/.test(text) && !Number.isSafeInteger(Number(text));
}

/** Writes the integers in JSON that a number cannot hold as texts of their digits. All else stays as it is. */
export function quotedDigits(json: string): string {
  if (!/\d{16}/.test(json)) return json;
  let isQuoted = false;
  return json.replaceAll(/\\[\s\S]|"|(?<![\w.])-?\d{16,}(?![\w.])/g, (found) => {
    if (found === '"') isQuoted = !isQuoted;
    return !isQuoted && isLongInteger(found) ? `"${found}"` : found;
  });
}

/** Reads a number in words of a program; an integer that a number cannot hold stays a text. */
export function numberOrDigits(text: string): number | string {
  return isLongInteger(text) ? text : Number(text);
}

/** Writes the bigints in parsed data, and the integers that may have been rounded, as texts of their digits. */
export function withDigits(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, digitsOf(value)]));
}

function digitsOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(digitsOf);
  if (isPlainObject(value)) return withDigits(value);
  // From 1e21 on a number has an exponent, and no digits.
  const isDigits = typeof value === "bigint" || (typeof value === "number" && isLongInteger(String(value)));
  return isDigits ? String(value) : value;
}
