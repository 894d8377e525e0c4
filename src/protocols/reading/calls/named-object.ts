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
export function findNamedObject(text: string, tools: ToolNames): NamedObject | undefined {
  for (const found of namedObjects(text, tools, mostNames)) {
    if (!found.below || /^[\s`]*$/.test(text.slice(found.end, found.end + 100))) return found;
  }
  return undefined;
}

/** A call whose name stands before its JSON. */
interface NamedObject {
  readonly call: WrittenCall;
  readonly start: number;
  readonly end: number;
  readonly whole: true;
  /** True if the JSON stands on a line below the name. */
  readonly below: boolean;
}

/** Finds all such calls, among so many names. */
export function* namedObjects(text: string, tools: ToolNames, most: number): Generator<NamedObject> {
  if (!text.includes("{")) return;
  const json = new JsonReader(text);
  let names = 0;
  for (const match of text.matchAll(namedObject)) {
    names += 1;
    if (names > most) return;
    const [whole, name = "", newline] = match;
    const tool = tools.match(name);
    const open = match.index + whole.length;
    const close = tool === undefined ? undefined : json.endOf(open);
    if (tool === undefined || !close || !("end" in close)) continue;
    const input = json.read(text.slice(open, close.end));
    if (!isRecord(input) || (newline && readJsonCall(input, tools))) continue;
    const call: WrittenCall = { kind: "call", tool, offered: true, input };
    yield { call, start: match.index, end: close.end, whole: true, below: newline !== undefined };
  }
}
