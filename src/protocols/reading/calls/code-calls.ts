import { isRecord } from "../../../base/is-record.js";
import type { ToolNames } from "../tool-names.js";
import { bracketed } from "./action-line.js";
import { readArguments } from "./arguments.js";
import { readJsonCalls, type WrittenCall } from "./json-call.js";
import { JsonReader } from "./json-reader.js";

const namedObject = /^[ \t`*]{0,9}([\p{L}_][\p{L}\p{N}_.-]{0,80})(?::? ?|:?[ \t]{0,9}\r?(\n)[ \t]{0,20})(?=\{)/gmu;
/** The number of names that are looked at. */
const mostNames = 500;

/**
 * Finds `search{"query": "x"}` at the beginning of a line, if there is such a tool. The JSON may also stand below the name. Then it
 * has to end the text, as an answer may hold an example.
 */
export function findNamedObject(text: string, tools: ToolNames) {
  for (const found of namedObjects(text, tools, mostNames)) {
    const endsText = /^[\s`]*(?:>>>|$)/.test(text.slice(found.end, found.end + 100));
    if (!found.isBelow || endsText) return { ...found, calls: [found], whole: true };
  }
  return undefined;
}

/** Finds all such calls, among so many names. */
export function* namedObjects(text: string, tools: ToolNames, most: number) {
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
    if (!isRecord(input) || (newline && readJsonCalls(input, tools).length > 0)) continue;
    const call: WrittenCall = { kind: "call", tool, offered: true, input };
    yield { call, start: match.index, end: close.end, isBelow: newline !== undefined };
  }
}

/** The beginning of a call in a program: `search(`, `result = search(`, `print(api.search(`. */
const callStart = /\s{0,40}(?:[\p{L}_]\w{0,40}\s?=\s?)?(?:print\(|await\s)?([\p{L}_][\p{L}\p{N}_.-]{0,80})\s?\(/uy;
const mostCalls = 100;

/** Reads calls in Python at a place, in a list or on lines of their own: `[search(query="cats"), now()]`. */
export function readCodeCalls(text: string, start: number, tools: ToolNames, json: JsonReader) {
  listStart.lastIndex = start;
  const isList = listStart.test(text);
  const calls: { readonly call: WrittenCall; readonly start: number; readonly end: number }[] = [];
  let place = isList ? listStart.lastIndex : start;
  while (calls.length < mostCalls) {
    callStart.lastIndex = place;
    const [whole, name] = callStart.exec(text) ?? [];
    if (whole === undefined || name === undefined) break;
    const { inside, end, closed } = bracketed(text, place + whole.length - 1, json);
    const call = closed ? codeCall(name, inside, tools) : undefined;
    if (call === undefined) break;
    calls.push({ call, start: place + whole.length - whole.trimStart().length, end });
    afterCall.lastIndex = end;
    place = afterCall.test(text) ? afterCall.lastIndex : end;
  }
  const last = calls.at(-1);
  if (last === undefined) return undefined;
  listEnd.lastIndex = last.end;
  const isClosed = listEnd.test(text);
  if (isList && !isClosed) return undefined;
  return { calls, start, end: isList ? listEnd.lastIndex : last.end, whole: true };
}

const listStart = /\s{0,40}\[/y;
const listEnd = /[\s,)]{0,40}\]/y;
const afterCall = /\)?[ \t]{0,9}[,;\n]?/y;

/** Reads a call in a program. The name of a tool that is not offered counts if all arguments have names. */
function codeCall(name: string, inside: string, tools: ToolNames): WrittenCall | undefined {
  const tool = tools.match(name);
  const input = inside.trim() === "" ? {} : readArguments(inside, tools.spec(tool));
  if (tool === undefined)
    return typeof input === "object" ? { kind: "call", tool: name, offered: false, input } : undefined;
  if (input === undefined || (typeof input === "string" && /^\w{1,80}\s?=/.test(input)))
    return { kind: "slip", why: unnamed(tool) };
  return { kind: "call", tool, offered: true, input };
}

/** The problem of a call with values that cannot be given to the arguments of its tool. */
export function unnamed(tool: string): string {
  return `Its arguments of ${tool} cannot be read. Give each by its name, or all in one JSON object.`;
}
