import { parsedJson } from "./attempted.js";
import { numberOrDigits } from "./digits.js";
import { mendedJson } from "./mended-json.js";

const ends = String.raw`(?=\s{0,40}(?:[,)\]}:\n]|$))`;

/** A quoted text at a place. A quote inside is a part of the text, if no further argument can follow that quote. */
export const quoted = new RegExp(
  [
    String.raw`("""|''')[\s\S]*?\1`,
    String.raw`"(?:[^"\\]|\\[\s\S]|"(?!${ends}))*"${ends}`,
    String.raw`'(?:[^'\\]|\\[\s\S]|'(?!${ends}))*'${ends}`,
  ].join("|"),
  "y",
);

const constants: Readonly<Record<string, unknown>> = { true: true, false: false, null: null, none: null };

/** Returns the value of a literal of JSON, Python or JavaScript; undefined for any other text. */
export function literal(written: string): unknown {
  const text = written.trim();
  quoted.lastIndex = 0;
  if (quoted.test(text) && quoted.lastIndex === text.length) return unquoted(text);
  if (Object.hasOwn(constants, text.toLowerCase())) return constants[text.toLowerCase()];
  if (/^[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text)) return numberOrDigits(text.replaceAll("_", ""));
  if (!/^(?:\[[\s\S]*\]|\{[\s\S]*\})$/.test(text)) return undefined;
  // A set of Python
  if (/^\{[^:{}]+\}$/.test(text)) return literal(`[${text.slice(1, -1)}]`);
  // Tuples and calls of code are no texts.
  return parsedJson(text) ?? (/[()]/.test(text.replaceAll(texts, "")) ? undefined : parsedJson(mendedJson(text)));
}

/** Texts in quotes. One that is open goes on to the end, so that nothing is looked at twice. */
const texts = /"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|'(?:[^'\\]|\\[\s\S])*(?:'|\\?$)/g;

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\n": "" };

function unquoted(text: string): string {
  const length = /^(?:"""|''')/.test(text) && text.length >= 6 ? 3 : 1;
  const inside = text.slice(length, -length);
  return inside.replaceAll(/\\(u[\da-fA-F]{4}|[\s\S])/g, (whole, sign: string) => {
    if (sign.length > 1) return String.fromCharCode(Number.parseInt(sign.slice(1), 16));
    return escapes[sign] ?? (/[\\"'`/]/.test(sign) ? sign : whole);
  });
}
