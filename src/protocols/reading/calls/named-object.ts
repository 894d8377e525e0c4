import { isRecord } from "../../../base/is-record.js";
import type { ToolNames } from "../tool-names.js";
import { readJsonCall, type WrittenCall } from "./json-call.js";
import { JsonReader } from "./json-reader.js";

const namedObject = /^[ \t`*]{0,9}([\p{L}_][\p{L}\p{N}_.-]{0,80})(?: ?|[ \t]{0,9}\r?(\n)[ \t]{0,20})(?=\{)/gmu;
/** The number of names that are looked at. */
const mostNames = 500;

/**
 * Finds `search{"query": "x"}` at the beginning of a line, if there is such a tool. The JSON may also stand below the
 * name. Then it has to end the text: an answer may hold an example.
 */
export function findNamedObject(text: string, tools: ToolNames) {
  if (!text.includes("{")) return undefined;
  const json = new JsonReader(text);
  let names = 0;
  for (const match of text.matchAll(namedObject)) {
    names += 1;
    if (names > mostNames) break;
    const [whole, name = "", newline] = match;
    const tool = tools.match(name);
    const open = match.index + whole.length;
    const close = tool === undefined ? undefined : json.endOf(open);
    if (tool === undefined || !close || !("end" in close)) continue;
    if (newline && !/^[\s`]*$/.test(text.slice(close.end, close.end + 100))) continue;
    const input = json.read(text.slice(open, close.end));
    if (!isRecord(input) || (newline && readJsonCall(input, tools))) continue;
    const call: WrittenCall = { kind: "call", tool, offered: true, input };
    return { call, start: match.index, end: close.end, whole: true };
  }
  return undefined;
}
