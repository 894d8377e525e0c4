import { isRecord } from "../../../base/is-record.js";
import { isFinishWord } from "../label-words.js";
import type { ToolNames } from "../tool-names.js";
import { bracketed } from "./action-line.js";
import { readArguments } from "./arguments.js";
import { type CallGroup, groupOf, type PlacedCall } from "./call-group.js";
import { inputText } from "./call-input.js";
import { readJsonCalls, type WrittenCall } from "./json-call.js";
import type { CutJson } from "./json-groups.js";
import { JsonReader } from "./json-reader.js";

/** The name of a tool in code. Markdown escapes its underscores. */
const name = String.raw`([\p{L}_][\p{L}\p{N}_.\\-]{0,80})`;
/** The largest number of names to look at. */
const mostNames = 500;

const namedObject = new RegExp(
  String.raw`(?<=^[ \t\x60*]{0,9}|[.!?。]\s{0,2})(?:call:|function(?=\w))?${name}(?::? ?|:?[ \t]{0,9}\r?(\n)[ \t]{0,20}(?:\x60{3}json\s)?)(?=\{)`,
  "gmu",
);

/**
 * Finds calls such as `search{"query": "x"}` at the beginning of a line, if there is such a tool. The JSON may also stand below the
 * name. Then it has to end the text: an answer may hold an example.
 */
export function* namedObjects(text: string, tools: ToolNames, most = mostNames): Generator<CallGroup | CutJson> {
  const json = new JsonReader(text);
  for (const { index, 0: whole, 1: written, 2: below } of [...text.matchAll(namedObject)].slice(0, most)) {
    const tool = tools.match(written ?? "");
    if (tool === undefined) continue;
    const end = json.endOf(index + whole.length);
    if (end === undefined) {
      yield { cut: true, start: index };
      continue;
    }
    const input = json.read(text.slice(index + whole.length, end));
    const isExample = below && !/^[\s`]*(?:>>>|$)/.test(text.slice(end, end + 100));
    if (!isRecord(input) || isExample || (below && readJsonCalls(input, tools).length > 0)) continue;
    const place = { start: index, end };
    yield { calls: [{ call: { kind: "call", tool, offered: true, input }, ...place }], ...place, whole: true };
  }
}

/** Calls in the syntax of Python. `isForm` says that the calls are a list of their own, which no answer contains. */
export interface CodeGroup extends CallGroup {
  readonly isForm: boolean;
}

/** The places where code may begin: a line, the end of a sentence before a list, or a backtick. */
const codeStart = new RegExp(
  String.raw`(?:^[ \t\x60*#]{0,9}|[.!?:。！？：][ \t]{0,9}(?=\[)|[ :：]\x60)(?=\[?\s{0,40}["'\x60]?(?:\w{1,40}\s?=\s?)?(?:print\()?${name}(?: \w{1,30}){0,4}["'\x60]?\s?[[(])`,
  "gmu",
);

/**
 * Finds `search("x")` or `Search[x]` on a line of its own or in backticks at its end, and lists of such calls.
 *
 * @param most The largest number of names to look at. Without a limit, calls also count from any line of the text on.
 */
export function* codeGroups(text: string, tools: ToolNames, most = mostNames): Generator<CodeGroup> {
  const json = new JsonReader(text);
  const isAnywhere = most > mostNames;
  let end = 0;
  for (const { index, 0: before } of [...text.matchAll(codeStart)].slice(0, most)) {
    const start = index + before.length;
    if (start < end) continue;
    const found =
      text.charAt(start) === "[" ? codeList(text, start, tools, json, isAnywhere) : codeLine(text, start, tools, json);
    if (found) yield found;
    end = found?.end ?? end;
  }
}

function codeList(
  text: string,
  start: number,
  tools: ToolNames,
  json: JsonReader,
  isAnywhere: boolean,
): CodeGroup | undefined {
  const before = isAnywhere ? "" : text.slice(0, start).trim();
  const group = readCodeCalls(text, start, tools, json);
  if (!group?.whole) return undefined;
  if (group.calls.every(({ call }) => call.kind === "call" && call.offered && typeof call.input === "object")) {
    return { ...group, isForm: !/[`"'“‘«]$/.test(text.slice(Math.max(0, start - 1), start)) };
  }
  return before + text.slice(group.end).trim() === "" ? { ...group, isForm: false } : undefined;
}

function codeLine(text: string, start: number, tools: ToolNames, json: JsonReader): CodeGroup | undefined {
  const group = readCodeCalls(text, start, tools, json);
  const isOffered = group?.calls.every(({ call }) => call.kind !== "call" || call.offered);
  const isLine = group && isOffered && endsLine.test(text.slice(group.end, group.end + 100));
  return isLine ? { ...group, isForm: false } : undefined;
}

const endsLine = /^[ \t\r`*.,;)\]]{0,99}(?:\n|$)/;

/** Tells whether code describes a tool: `get_weather(city: string)`. */
export function isSignature(code: string): boolean {
  return /[:=]\s{0,9}(?:string|str|number|int|integer|float|bool|boolean|array|list|object|dict|any)\b[^"',)]{0,20}[,)]/i.test(
    code,
  );
}

/** The beginning of a call: `search(`, `result = search(`, `print(api.search(`, `"search(`. A name may have several words. */
const callStart = new RegExp(
  String.raw`\s{0,40}["'\x60]?(?:[\p{L}_]\w{0,40}\s?=\s?)?(?:print\(|await\s)?${name}((?: [\p{L}\p{N}_]{1,30}){0,4})["'\x60]?\s?[[(]`,
  "uy",
);
const afterCall = /\)?["'`]?[ \t]{0,9}(?:[,;]\s{0,40}|\r?\n)?/y;
const listStart = /\s{0,40}\[/y;
const listEnd = /["'`]?[\s,)]{0,40}\]/y;
const mostCalls = 100;

/** Reads calls in Python at a place, in a list or one after the other: `[search(query="cats"), now()]`. */
export function readCodeCalls(
  text: string,
  start: number,
  tools: ToolNames,
  json: JsonReader,
  inForm = false,
): CallGroup | undefined {
  listStart.lastIndex = start;
  const isList = listStart.test(text);
  const calls: PlacedCall[] = [];
  for (let place = isList ? listStart.lastIndex : start; calls.length < mostCalls; ) {
    callStart.lastIndex = place;
    const [whole, first, others = ""] = callStart.exec(text) ?? [];
    if (whole === undefined || first === undefined) break;
    const { inside, end, closed } = bracketed(text, place + whole.length - 1, json);
    const read = whole.endsWith("[") ? paperCall : codeCall;
    const isCall = closed && !isSignature(`${inside})`);
    const call = isCall ? read(first + others, inside, tools, inForm) : undefined;
    if (call === undefined) break;
    calls.push({ call, start: place + whole.length - whole.trimStart().length, end });
    afterCall.lastIndex = end;
    place = afterCall.test(text) ? afterCall.lastIndex : end;
  }
  const group = groupOf(calls);
  if (!group || !isList) return group;
  listEnd.lastIndex = group.end;
  return listEnd.test(text) ? { ...group, start, end: listEnd.lastIndex } : { ...group, start, whole: false };
}

/** Reads the dialect of the ReAct paper: `Search[x]`, `Finish[x]`. Between signs `[ARGS]` after a name is a sign itself. */
function paperCall(written: string, inside: string, tools: ToolNames, inForm: boolean): WrittenCall | undefined {
  const input = inputText(inside).text;
  if (isFinishWord(written)) return { kind: "answer", output: input };
  const tool = inForm ? undefined : tools.match(written);
  return tool === undefined ? undefined : { kind: "call", tool, offered: true, input };
}

/** Reads a call in a program. The name of a tool that is not offered counts if all arguments have names. */
function codeCall(written: string, inside: string, tools: ToolNames, inForm: boolean): WrittenCall | undefined {
  const tool = tools.match(written);
  const input = inside.trim() === "" ? {} : readArguments(inside, tools.spec(tool), inForm);
  if (tool === undefined) {
    const isCall = typeof input === "object" && /^[^\s]+$/.test(written);
    return isCall ? { kind: "call", tool: written.replaceAll("\\", ""), offered: false, input } : undefined;
  }
  if (input === undefined || (typeof input === "string" && /^\w{1,80}=/.test(input))) {
    return { kind: "slip", why: unnamed(tool) };
  }
  return { kind: "call", tool, offered: true, input };
}

/** The problem of a call with values that cannot be given to the arguments of its tool. */
export function unnamed(tool: string): string {
  return `Its arguments of ${tool} cannot be read. Give each by its name, or all in one JSON object.`;
}
