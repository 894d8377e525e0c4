import { isRecord } from "../../../base/is-record.js";
import type { ToolNames } from "../tool-names.js";
import { bracketed } from "./action-line.js";
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

const opening = /^\s{0,9}\[\s{0,9}([\p{L}_][\p{L}\p{N}_.-]{0,80})(?=\()/u;
/** The longest arguments that are read. */
const mostRead = 4000;

/** Reads a list of calls in Python that is the whole text: `[search(query="cats", n=3)]`. The first call is taken. */
export function findPythonCall(text: string, tools: ToolNames) {
  const [whole, name = ""] = opening.exec(text) ?? [];
  const tool = whole === undefined ? undefined : tools.match(name);
  if (whole === undefined || tool === undefined) return undefined;
  const json = new JsonReader(text);
  const list = json.endOf(text.indexOf("["));
  const { inside, end, closed } = bracketed(text, whole.length, json);
  if (!closed || !("end" in list) || text.slice(list.end).trim() !== "" || !/^\s*[,\]]/.test(text.slice(end)))
    return undefined;
  const input = namedArguments(inside);
  const call: WrittenCall | undefined = input && { kind: "call", tool, offered: true, input };
  return call && { call, start: 0, end, whole: true };
}

const quotedOrName = /("(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*')|\b([A-Za-z_]\w{0,80})\s{0,9}=(?!=)/g;

/** The rest of arguments without texts and names. A variable or a call in it has no value that can be read. */
const plainRest = /^(?:[\s\d.,:+\-eE[\]{}]|True|False|None|true|false|null)*$/;

/** Reads arguments that all have a name: `query="cats", n=3`. */
function namedArguments(written: string): Record<string, unknown> | undefined {
  if (written.length > mostRead || !/^(?:$|[A-Za-z_]\w{0,80}\s{0,9}=)/.test(written)) return undefined;
  if (!plainRest.test(written.replaceAll(quotedOrName, ""))) return undefined;
  const fields = written.replaceAll(quotedOrName, (_, quoted?: string, name?: string) => quoted ?? `"${name}":`);
  const value = new JsonReader("").read(`{${fields}}`);
  return isRecord(value) ? value : undefined;
}
