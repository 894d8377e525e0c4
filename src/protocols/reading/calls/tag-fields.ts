import { isRecord } from "../../../base/is-record.js";
import type { ToolInput } from "../../../turn/decision.js";
import { inputText } from "./call-input.js";

/** Reads the inside of a call's element: fields in tags, JSON or plain text. */
export function elementInput(body: string): ToolInput {
  return elementFields(body) ?? jsonOrText(body);
}

type Fields = Record<string, string>;

/**
 * Reads parameters in a row: `<parameter name="q">x</parameter>`, `<parameter=q>x</parameter>` or `<q>x</q>`. Returns
 * undefined for JSON and for plain text.
 */
export function elementFields(body: string): Fields | undefined {
  if (/^\s*\{/.test(body)) return undefined;
  return closedFields(body, parameter, (tag) => (tag === undefined ? "</parameter>" : `</${tag}>`)) ?? openFields(body);
}

const parameter = /<(?:parameter(?:=["']?|\s+name=["'])([\w.-]{1,100})["']?|([\w.-]{1,100}))>/g;

/** Reads parameters in the form of GLM: `<arg_key>q</arg_key><arg_value>x</arg_value>`. */
export function keyedFields(body: string): Fields | undefined {
  return closedFields(body, keyAndValue, () => "</arg_value>");
}

const keyAndValue = /<arg_key>([^<>]{1,100})<\/arg_key>\s{0,20}<arg_value>/g;

/** Reads fields in a row, up to the first that is not closed. */
function closedFields(body: string, opening: RegExp, closing: (tag?: string) => string): Fields | undefined {
  const fields = new Map<string, string>();
  opening.lastIndex = 0;
  for (let match = opening.exec(body); match; match = opening.exec(body)) {
    const [whole, named, tag] = match;
    const close = body.indexOf(closing(tag), match.index + whole.length);
    if (close < 0) break;
    fields.set((named ?? tag ?? "").trim(), body.slice(match.index + whole.length, close).trim());
    opening.lastIndex = close;
  }
  return fields.size > 0 ? Object.fromEntries(fields) : undefined;
}

const openParameter = /^[ \t]{0,20}<parameter=["']?([\w.-]{1,100})["']?>/gm;

/** Reads `<parameter=q> x` on lines of their own. It reads nothing if one of them is closed. */
function openFields(body: string): Fields | undefined {
  const openings = body.includes("</parameter>") ? [] : [...body.matchAll(openParameter)];
  const fields = openings.map(({ 0: whole, 1: name = "", index }, n) => {
    const next = openings[n + 1]?.index;
    return [name, body.slice(index + whole.length, next).trim()] as const;
  });
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
}

function jsonOrText(body: string): ToolInput {
  const { text } = inputText(body);
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : text;
  } catch {
    return text;
  }
}
