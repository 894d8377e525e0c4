import { isRecord } from "../../../base/is-record.js";
import type { ToolInput } from "../../../turn/decision.js";
import { inputText } from "./call-input.js";

/** What stands in a call's element: JSON, fields in tags of their own, or plain text. */
export function elementInput(body: string): ToolInput {
  return elementFields(body) ?? jsonOrText(body);
}

/** The fields of an element, in any of the forms; undefined when it has none, or holds JSON. */
export function elementFields(body: string): Record<string, string> | undefined {
  if (/^\s*\{/.test(body)) return undefined;
  const fields = new Map(namedFields(body));
  return fields.size > 0 ? Object.fromEntries(fields) : undefined;
}

type Field = readonly [name: string, value: string];

const parameter = /<(?:parameter(?:=["']?|\s+name=["'])([\w.-]{1,100})["']?|([\w.-]{1,100}))>/g;

/** `<parameter name="q">x</parameter>`, `<parameter=q>x</parameter>` or `<q>x</q>`, one after the other. */
function namedFields(body: string): Field[] {
  const fields: Field[] = [];
  parameter.lastIndex = 0;
  for (let match = parameter.exec(body); match; match = parameter.exec(body)) {
    const [whole, named, tag] = match;
    const close = body.indexOf(named ? "</parameter>" : `</${tag}>`, match.index + whole.length);
    if (close < 0) break;
    fields.push([named ?? tag ?? "", body.slice(match.index + whole.length, close).trim()]);
    parameter.lastIndex = close;
  }
  return fields;
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
