import { isFinishWord } from "../label-words.js";
import type { ToolNames } from "../tool-names.js";
import { bracketed } from "./action-line.js";
import { inputText } from "./call-input.js";
import { findNamedObject, findPythonCall, namedObjects } from "./code-calls.js";
import { readJsonCall, type WrittenCall } from "./json-call.js";
import { isJson, JsonReader, parseJson, type ValueCut, type ValueEnd } from "./json-reader.js";
import { findTagCall } from "./tag-call.js";
import { escaped, readUnescapedPiece, type UnescapedPiece } from "./unescaped-call.js";

/** A call in a text, with its place. `whole` is false if the closing sign is missing. */
export interface FoundCall {
  readonly call: WrittenCall;
  readonly start: number;
  readonly end: number;
  readonly whole: boolean;
}

/** A call that breaks off in the middle of a value. */
export interface CutCall {
  readonly cut: true;
  readonly start: number;
}

/** Finds the first call without a label: JSON, tags, or `tool(input)` on its own line. */
export function findCall(text: string, tools: ToolNames): FoundCall | CutCall | undefined {
  if (!beginsForm.test(text)) return undefined;
  let first: FoundCall | CutCall | undefined;
  for (const find of forms) {
    const found = find(text, tools);
    if (found && (!first || found.start < first.start)) first = found;
  }
  return first;
}

/** Returns the places of all calls in a text. JSON with an answer counts only if there are other words around it. */
export function callPlaces(text: string, tools: ToolNames): number[] {
  if (!beginsForm.test(text)) return [];
  const found = [
    ...jsonCalls(text, tools),
    ...lineCalls(text, tools, Number.POSITIVE_INFINITY),
    ...namedObjects(text, tools, Number.POSITIVE_INFINITY),
    ...[findKeys(text, tools), findPythonCall(text, tools)].filter((call) => call !== undefined),
  ];
  const places = found.filter((call) => leadsOn(call, text)).map(({ start }) => start);
  return places.flatMap((start) => [...codeFenceBefore(text, start), start]);
}

/** Returns the place of a Markdown fence that opens right before a call. */
function codeFenceBefore(text: string, start: number): number[] {
  const before = text.slice(Math.max(0, start - 40), start);
  const [fence] = /(?:```|''')\w{0,12}\s{0,20}$/.exec(before) ?? [];
  return fence === undefined ? [] : [start - fence.length];
}

function leadsOn(found: FoundCall | CutCall, text: string): boolean {
  if ("cut" in found || found.call.kind === "call" || found.call.kind === "answer") return true;
  return found.call.kind === "asked" && (text.slice(0, found.start) + text.slice(found.end)).trim() !== "";
}

/** The signs of all forms. Each form has one, and most thoughts have none. */
const beginsForm = /[<{[("']/;

type Form = (text: string, tools: ToolNames) => FoundCall | CutCall | undefined;

const forms: readonly Form[] = [findJsonCall, findKeys, findTagCall, findLineCall, findNamedObject, findPythonCall];

/** The keys of a call in JSON, or in code. */
export const callKey =
  /["'](?:action|tool|name|function|recipient|final|answer)|\b(?:action|tool|name|function|final_answer)["']?\s{0,9}:/i;

/** The largest number of opening braces to look at. */
const mostPieces = 40;
/** The number of characters in which the keys of a piece must appear. */
const headLength = 1000;

function findJsonCall(text: string, tools: ToolNames): FoundCall | CutCall | undefined {
  let start = text.indexOf("{");
  if (start < 0) return undefined;
  const json = new JsonReader(text);
  let cut: CutCall | undefined;
  for (let pieces = 0; start >= 0 && pieces < mostPieces; pieces += 1) {
    const close = json.endOf(start);
    if (mayBeCall(text, start, tools)) {
      const found = readPiece(text, start, close, tools, json);
      if (found && !("cut" in found)) return found;
      cut ??= found;
    }
    start = text.indexOf("{", "end" in close ? close.end : start + 1);
  }
  return cut;
}

/** The passes over a text for the calls in it, also for those inside other JSON. */
const mostPasses = 20;

/** The largest numbers of pieces to read that have no end, or are no correct JSON. All further ones may be calls. */
const mostUnclear = { open: 10, broken: 100 };

/** Finds all calls in JSON. Inside correct JSON only those that begin a line count, as data may list tools. */
function* jsonCalls(text: string, tools: ToolNames): Generator<FoundCall | CutCall> {
  const json = new JsonReader(text, mostPasses);
  const keys = keysOf(tools);
  const left = { ...mostUnclear };
  let [key, correctUntil] = [-1, 0];
  for (let start = text.indexOf("{"); start >= 0; start = text.indexOf("{", start + 1)) {
    if (key < start) {
      keys.lastIndex = start;
      key = keys.exec(text)?.index ?? text.length;
    }
    if (key > start + headLength || !mayBeginPiece(text, start)) continue;
    if (start < correctUntil && !beginsLine.test(text.slice(Math.max(0, start - 21), start))) continue;
    const close = json.endOf(start);
    const end = "end" in close ? close.end : undefined;
    const exact = end === undefined ? undefined : parseJson(text.slice(start, end));
    if (exact !== undefined) correctUntil = Math.max(correctUntil, end ?? 0);
    else left[end === undefined ? "open" : "broken"] -= 1;
    const isUnread = exact === undefined && Math.min(left.open, left.broken) < 0;
    const found = isUnread ? { cut: true as const, start } : readPiece(text, start, close, tools, json);
    if (found) yield found;
  }
}

const beginsLine = /\n\s{0,20}$/;

function keysOf({ names }: ToolNames): RegExp {
  return new RegExp([callKey.source, ...names.map(escaped)].join("|"), "gi");
}

function readPiece(
  text: string,
  start: number,
  close: ValueEnd,
  tools: ToolNames,
  json: JsonReader,
): FoundCall | CutCall | undefined {
  const found = "end" in close ? text.slice(start, close.end) : closedPiece(text, start, close);
  const unescaped = found !== undefined && isJson(found) ? undefined : readUnescapedPiece(text, start);
  const call = unescaped
    ? readJsonCall(unescaped.call, tools)
    : found !== undefined && readJsonCall(json.read(found), tools);
  if (call) return { call, start, ...endOfPiece(text, close, unescaped) };
  return found === undefined ? { cut: true, start } : undefined;
}

function endOfPiece(text: string, close: ValueEnd, unescaped?: UnescapedPiece): { end: number; whole: boolean } {
  if (unescaped) return { end: unescaped.end, whole: true };
  return "end" in close ? { end: close.end, whole: true } : { end: text.length, whole: false };
}

/**
 * The place before a call: the beginning of a line, a colon, a full stop, a tag or a fence. JSON inside a sentence is
 * only talk about JSON.
 */
const beginsPiece = /(?:(?:^|\n)\s{0,20}`|^|[\n.!?:：>[\]。！？]|```\w{0,12})\s{0,20}$/;

function mayBeginPiece(text: string, start: number): boolean {
  return beginsPiece.test(text.slice(Math.max(0, start - 32), start));
}

function mayBeCall(text: string, start: number, tools: ToolNames): boolean {
  if (!mayBeginPiece(text, start)) return false;
  const head = text.slice(start, start + headLength);
  return callKey.test(head) || tools.names.some((name) => head.includes(name));
}

/** Adds the missing closing brackets to a piece. Returns undefined if it breaks off inside a text. */
function closedPiece(text: string, start: number, close: ValueCut): string | undefined {
  if (close.cut === "text") return undefined;
  const fence = text.indexOf("\n```", start);
  return `${text.slice(start, fence < 0 ? undefined : fence)}${close.missing}`;
}

const keyLine = /^[ \t]{0,20}["'](?:action|tool)["'][ \t]{0,9}:/im;

/** Finds the keys of a call without the braces around them. */
function findKeys(text: string, tools: ToolNames): FoundCall | undefined {
  const match = text.includes("{") ? null : keyLine.exec(text);
  if (!match) return undefined;
  const fence = text.indexOf("\n```", match.index);
  const end = fence < 0 ? text.length : fence;
  const call = readJsonCall(new JsonReader(text).read(`{${text.slice(match.index, end)}}`), tools);
  return call && { call, start: match.index, end, whole: fence >= 0 };
}

const callLine = /^[ \t`*]{0,9}(?:print\()?([\p{L}_][\p{L}\p{N}_.-]{0,80}(?: [\p{L}\p{N}_]{1,30}){0,4})\s?([[(])/gmu;

function findLineCall(text: string, tools: ToolNames): FoundCall | undefined {
  const [first] = lineCalls(text, tools, mostPieces);
  return first;
}

/** Finds `search("x")` or `Search[x]` on its own line, if there is such a tool, among so many names. */
function* lineCalls(text: string, tools: ToolNames, most: number): Generator<FoundCall> {
  if (!/[[(]/.test(text)) return;
  const json = new JsonReader(text);
  let pieces = 0;
  for (const match of text.matchAll(callLine)) {
    const [whole, name = "", bracket] = match;
    const finishes = bracket === "[" && isFinishWord(name);
    const tool = finishes ? name : tools.match(name);
    if (tool === undefined) continue;
    pieces += 1;
    if (pieces > most) return;
    const open = match.index + whole.length - 1;
    const { inside, end, closed } = bracketed(text, open, json);
    if ((!closed && bracket === "(") || !/^[ \t`*.,;)]{0,99}(?:\n|$)/.test(text.slice(end, end + 100))) continue;
    const input = inputText(inside).text;
    const call: WrittenCall = finishes
      ? { kind: "answer", output: input }
      : { kind: "call", tool, offered: true, input };
    yield { call, start: match.index, end, whole: closed };
  }
}
