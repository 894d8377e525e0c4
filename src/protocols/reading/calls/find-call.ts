import { escaped } from "../../../base/escaped.js";
import { openingSigns } from "../../forms/form-signs.js";
import { isFinishWord } from "../label-words.js";
import type { ToolNames } from "../tool-names.js";
import { bracketed } from "./action-line.js";
import { readArguments } from "./arguments.js";
import { inputText } from "./call-input.js";
import { findNamedObject, namedObjects, readCodeCalls, unnamed } from "./code-calls.js";
import { type CallGroup, FormReader, type PlacedCall } from "./form-calls.js";
import { readJsonCalls, type WrittenCall } from "./json-call.js";
import { isJson, JsonReader, parseJson, type ValueCut, type ValueEnd } from "./json-reader.js";
import { readUnescapedPiece, type UnescapedPiece } from "./unescaped-call.js";

/** Calls in a text. `isForm` says that they have the signs of a form: they are calls wherever they stand. */
export interface FoundCalls extends CallGroup {
  readonly isForm: boolean;
}

/** A call that breaks off in the middle of a value, or signs around calls in which none can be read. */
export interface CutCall {
  readonly cut: true;
  readonly start: number;
  readonly isForm: boolean;
}

/**
 * Finds the first calls without a label. A call in the signs of a form comes first. Other calls are JSON, or `tool(input)` on a
 * line of its own.
 */
export function findCalls(text: string, tools: ToolNames): FoundCalls | CutCall | undefined {
  if (!beginsForm.test(text)) return undefined;
  const bare = findBare(text, tools);
  const form = findForm(text, tools, bare);
  if (form && bare && !("cut" in form) && !("cut" in bare) && form.start >= bare.end) {
    if (text.slice(bare.end, form.start).trim() === "") return { ...joined(bare, form), isForm: form.isForm };
  }
  return form?.isForm || bare === undefined || (form && form.start < bare.start) ? form : bare;
}

/** Finds the calls in the signs of a form. Signs in quotes, in a fence, or inside other JSON are no form. */
function findForm(
  text: string,
  tools: ToolNames,
  bare: FoundCalls | CutCall | undefined,
): FoundCalls | CutCall | undefined {
  let unread: CutCall | undefined;
  let quoted: FoundCalls | undefined;
  let form: FoundCalls | undefined;
  for (const group of new FormReader(text, tools, new JsonReader(text)).groups()) {
    if (bare && !("cut" in bare) && group.start > bare.start && group.start < bare.end) continue;
    if (form && result.test(text.slice(form.end, group.start))) break;
    const before = text.slice(0, group.start);
    const isInFence = before.split("```").length % 2 === 0;
    // A call in quotes within a sentence is a mere mention, and so are tokens in code: no model writes its own so.
    if (isQuoted(before) || (isInFence && /^(?:<[|｜]|\[)/.test(text.slice(group.start)))) continue;
    const isForm = !isInFence;
    if ("unread" in group) unread ??= isForm ? { cut: true, start: group.start, isForm } : undefined;
    else if (isForm) form = { ...(form ? joined(form, group) : group), isForm };
    else quoted ??= { ...group, isForm };
  }
  return form ?? unread ?? quoted;
}

/** The result of a call, or a turn of somebody else, which a model invents. All after it is invented, too. */
const result =
  /<\/?(?:tool_response|tool_result|function_results?|start_function_response)>|<\|tool_response|^[\s*#]{0,9}(?:observation|(?:tool |function )?(?:result|response|output))s?\*{0,2}\s{0,9}[:：]/im;

/** Tells whether a text goes on with a quotation. A fence is none. */
function isQuoted(before: string): boolean {
  return /[`"'“‘«]$/.test(before) && !before.endsWith("```");
}

function findBare(text: string, tools: ToolNames): FoundCalls | CutCall | undefined {
  let first: FoundCalls | CutCall | undefined;
  for (const find of bareForms) {
    const found = find(text, tools);
    if (found && (!first || found.start < first.start)) first = "cut" in found ? found : { isForm: false, ...found };
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
    ...[findKeys(text, tools), findList(text, tools)].filter((call) => call !== undefined),
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

function leadsOn(
  found: { readonly start: number; readonly end?: number; readonly calls?: readonly PlacedCall[] },
  text: string,
) {
  const call = found.calls?.[0]?.call;
  if (call === undefined || call.kind === "call" || call.kind === "answer" || call.kind === "slip") return true;
  return call.kind === "asked" && (text.slice(0, found.start) + text.slice(found.end)).trim() !== "";
}

/** The signs of all forms. Each form has one, and most thoughts have none. */
const beginsForm = /[<{[("'>]|functions/;

type Find = (text: string, tools: ToolNames) => (CallGroup & { isForm?: boolean }) | CutCall | undefined;

const bareForms: readonly Find[] = [findJsonCalls, findKeys, findLineCalls, findNamedObject, findList, findAnswerTag];

/** The keys of a call in JSON, or in code. */
export const callKey =
  /["'](?:action|tool|name|function|recipient|final|answer)|\b(?:action|tool|name|function|final_answer)["']?\s{0,9}:/i;

/** The largest number of opening braces to look at. */
const mostPieces = 40;
/** The number of characters in which the keys of a piece must appear. */
const headLength = 1000;

/** Finds the first JSON that is a call, and those that follow it with nothing between. The definition of a tool is none. */
function findJsonCalls(text: string, tools: ToolNames): CallGroup | CutCall | undefined {
  let start = text.indexOf("{");
  if (start < 0) return undefined;
  const json = new JsonReader(text);
  let cut: CutCall | undefined;
  let group: CallGroup | undefined;
  for (let pieces = 0; start >= 0 && pieces < mostPieces; pieces += 1) {
    const close = json.endOf(start);
    const isNext = group && betweenPieces.test(text.slice(group.end, start));
    if (group && !isNext && !isSlip(group)) return group;
    const found = mayBeCall(text, start, tools, group) ? readPiece(text, start, close, tools, json) : undefined;
    if (found && "cut" in found) cut ??= found;
    else if (found)
      group = isNext && group && !isSlip(group) ? joined(group, found) : (isSlip(found) && group) || found;
    start = text.indexOf("{", found && !("cut" in found) ? found.end : "end" in close ? close.end : start + 1);
  }
  return group ?? cut;
}

const betweenPieces = /^[\s,;`\]]*(?:\*{0,2}tool[ _]call:?\*{0,2}:?\s*)?`{0,3}(?:json|tool_call)?[\s[]*$/i;

function isSlip({ calls }: CallGroup): boolean {
  return calls.every(({ call }) => call.kind === "slip");
}

function joined(one: CallGroup, other: CallGroup): CallGroup {
  return { ...other, calls: [...one.calls, ...other.calls], start: one.start };
}

/** The passes over a text for the calls in it, also for those inside other JSON. */
const mostPasses = 20;

/** The largest numbers of pieces to read that have no end, or are no correct JSON. All further ones may be calls. */
const mostUnclear = { open: 10, broken: 100 };

/** Finds all calls in JSON. Inside correct JSON only those that begin a line count, as data may list tools. */
function* jsonCalls(text: string, tools: ToolNames): Generator<CallGroup | CutCall> {
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
    const found = isUnread ? cutAt(start) : readPiece(text, start, close, tools, json);
    if (found) yield found;
  }
}

function cutAt(start: number): CutCall {
  return { cut: true, start, isForm: false };
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
): CallGroup | CutCall | undefined {
  const found = "end" in close ? text.slice(start, close.end) : closedPiece(text, start, close);
  const unescaped = found !== undefined && isJson(found) ? undefined : readUnescapedPiece(text, start);
  const value = unescaped ? unescaped.call : found === undefined ? undefined : json.read(found);
  const place = { start, ...endOfPiece(text, close, unescaped) };
  const calls = readJsonCalls(value, tools).map((call) => ({ call, start, end: place.end }));
  if (calls.length > 0) return { calls, ...place };
  return found === undefined ? cutAt(start) : undefined;
}

function endOfPiece(text: string, close: ValueEnd, unescaped?: UnescapedPiece): { end: number; whole: boolean } {
  if (unescaped) return { end: unescaped.end, whole: true };
  return "end" in close ? { end: close.end, whole: true } : { end: text.length, whole: false };
}

/**
 * The place before a call: the beginning of a line, a colon, a full stop, a tag, a fence or `call =`. JSON inside a sentence is
 * only talk about JSON.
 */
const beginsPiece = /(?:(?:^|\n)\s{0,20}`|^|[\n.!?:：>[\]。！？]|\w\s?=|```\w{0,12})\s{0,20}$/;

function mayBeginPiece(text: string, start: number): boolean {
  return beginsPiece.test(text.slice(Math.max(0, start - 32), start));
}

function mayBeCall(text: string, start: number, tools: ToolNames, before?: CallGroup): boolean {
  if (!mayBeginPiece(text, start) && !(before && /^[\s,;]*$/.test(text.slice(before.end, start)))) return false;
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
function findKeys(text: string, tools: ToolNames): CallGroup | undefined {
  const match = text.includes("{") ? null : keyLine.exec(text);
  if (!match) return undefined;
  const fence = text.indexOf("\n```", match.index);
  const place = { start: match.index, end: fence < 0 ? text.length : fence };
  const [call] = readJsonCalls(new JsonReader(text).read(`{${text.slice(place.start, place.end)}}`), tools);
  return call && { calls: [{ call, ...place }], ...place, whole: fence >= 0 };
}

/** The beginning of a call: of a line, or of code in backticks. */
const callLine =
  /(?:^[ \t`*]{0,9}|[\s:：,，]`)(?:[\p{L}_]\w{0,40}\s?=\s?)?(?:print\()?([\p{L}_][\p{L}\p{N}_.-]{0,80}(?: [\p{L}\p{N}_]{1,30}){0,4})\s?([[(])/gmu;

/** Finds the first calls on lines of their own, one after the other. */
function findLineCalls(text: string, tools: ToolNames): CallGroup | undefined {
  let group: CallGroup | undefined;
  for (const found of lineCalls(text, tools, mostPieces)) {
    if (group && text.slice(group.end, found.start).trim() !== "") return group;
    group = group ? joined(group, found) : found;
  }
  return group;
}

/** Finds `search("x")` or `Search[x]` on its own line, if there is such a tool, among so many names. */
function* lineCalls(text: string, tools: ToolNames, most: number): Generator<CallGroup> {
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
    const after = whole.startsWith("`", 1) ? endsText : endsLine;
    if ((!closed && bracket === "(") || !after.test(text.slice(end, end + 100))) continue;
    const call = finishes ? { kind: "answer" as const, output: inputText(inside).text } : lineCall(tool, inside, tools);
    yield { calls: [{ call, start: match.index, end }], start: match.index, end, whole: closed };
  }
}

const endsLine = /^[ \t`*.,;)]{0,99}(?:\n|$)/;
/** A call in backticks within a sentence counts only at the end of a text. */
const endsText = /^[\s`*.,;)]{0,99}$/;

function lineCall(tool: string, inside: string, tools: ToolNames): WrittenCall {
  const input = readArguments(inside, tools.spec(tool));
  return input === undefined ? { kind: "slip", why: unnamed(tool) } : { kind: "call", tool, offered: true, input };
}

const listLine = /(?:^[ \t]{0,9}|[.!?:。！？：][ \t]{1,9})(?=\[\s{0,9}[\p{L}_][\p{L}\p{N}_.-]{0,80}\s?\()/gmu;

/** Finds a list of calls in Python at the beginning of a line or after a sentence: `[search(query="cats", n=3), now()]`. */
function findList(text: string, tools: ToolNames): FoundCalls | undefined {
  const json = new JsonReader(text);
  for (const { index, 0: before } of [...text.matchAll(listLine)].slice(0, mostPieces)) {
    const found = readCodeCalls(text, index + before.length, tools, json);
    const isForm = !isQuoted(text.slice(0, index + before.length));
    if (found?.calls.every(({ call }) => call.kind === "call" && typeof call.input === "object" && call.offered)) {
      return { ...found, isForm };
    }
    const isAlone = found && text.slice(0, found.start).trim() === "" && text.slice(found.end).trim() === "";
    if (isAlone && found.calls.every(({ call }) => call.kind === "call" || call.kind === "slip"))
      return { ...found, isForm: false };
  }
  return undefined;
}

const answerTag = /<(final_answer|answer|FINAL_ANSWER)>([\s\S]*?)(<\/\1>|$)|^\s*<(response)>([\s\S]*?)(<\/response>|$)/;

/** Finds an answer in a tag: `<final_answer>42</final_answer>`. Signs of calls in it are calls. */
function findAnswerTag(text: string): FoundCalls | undefined {
  const match = answerTag.exec(text);
  const output = (match?.[2] ?? match?.[5] ?? "").trim();
  if (!match || !/[\p{L}\p{N}]/u.test(output) || openingSigns.some((sign) => output.includes(sign))) return undefined;
  const place = { start: match.index, end: match.index + match[0].length };
  const whole = (match[3] ?? match[6]) !== "";
  return { calls: [{ call: { kind: "answer", output }, ...place }], ...place, whole, isForm: true };
}
