import { bracketed, isFinishWord } from "./action-line.js";
import { type CallBlob, readCallBlob } from "./call-blob.js";
import { Finder } from "./finder.js";
import { inputText } from "./input-text.js";
import { JsonReader } from "./json-blob.js";
import { findMarkupCall } from "./markup-calls.js";
import type { ToolNames } from "./tool-names.js";

/** A call found in a text, and where it ends. `whole` is false when what closes it is missing. */
export interface FoundCall {
  readonly call: CallBlob;
  readonly start: number;
  readonly end: number;
  readonly whole: boolean;
}

/** A call whose end is missing in the middle of a value. */
export interface CutCall {
  readonly cut: true;
  readonly start: number;
}

/** The first call in a text that stands there without a label: JSON, tags, or `tool(input)` on a line of its own. */
export function findCall(text: string, tools: ToolNames): FoundCall | CutCall | undefined {
  const markup = findMarkupCall(text, tools);
  const found = [findJsonCall(text, tools), markup && { ...markup, whole: true }, findLineCall(text, tools)];
  return found.filter((call) => call !== undefined).sort((a, b) => a.start - b.start)[0];
}

const callKey =
  /["'](?:action|tool|name|function|recipient|final|answer)|\b(?:action|tool|name|function|final_answer)["']?\s{0,9}:/i;

function findJsonCall(text: string, tools: ToolNames): FoundCall | CutCall | undefined {
  const json = new JsonReader(text);
  const braces = new Finder(text, /\{/g, (match) => ({ start: match.index, end: match.index + 1 }));
  let cut: CutCall | undefined;
  for (let brace = braces.from(0); brace; ) {
    const { start } = brace;
    const close = json.endOf(start);
    const end = "end" in close ? close.end : text.length;
    const call = readPiece(text.slice(start, end), "end" in close || close.cut === "brackets", json, tools);
    if (call === "cut") cut ??= { cut: true, start };
    else if (call) return { call, start, end, whole: "end" in close };
    brace = braces.from("end" in close ? end : start + 1);
  }
  return cut;
}

function readPiece(piece: string, closable: boolean, json: JsonReader, tools: ToolNames): CallBlob | "cut" | undefined {
  if (!callKey.test(piece.slice(0, 2000)) && !tools.names.some((name) => piece.includes(name))) return undefined;
  if (!closable) return startsAsCall.test(piece) ? "cut" : undefined;
  return readCallBlob(json.read(piece), tools);
}

const startsAsCall = /^\{\{?\s{0,99}["']?(?:action|tool|name|function|thought)/i;

const callLine = /^[ \t`*]{0,9}([\p{L}_][\p{L}\p{N}_.-]{0,80}(?: [\p{L}\p{N}_]{1,30}){0,4})\s?([[(])/gmu;

/** `search("x")` or `Search[x]` alone on its line, when there is such a tool. */
function findLineCall(text: string, tools: ToolNames): FoundCall | undefined {
  for (const match of text.matchAll(callLine)) {
    const [whole, name = "", bracket] = match;
    const finishes = bracket === "[" && isFinishWord(name);
    const tool = finishes ? name : tools.match(name);
    if (tool === undefined) continue;
    const open = match.index + whole.length - 1;
    const { inside, end, closed } = bracketed(text.slice(open));
    if (!closed && bracket === "(") continue;
    if (!/^[ \t`*.,;)]*(?:\n|$)/.test(text.slice(open + end, open + end + 200))) continue;
    const input = inputText(inside).text;
    const call: CallBlob = finishes ? { kind: "answer", output: input } : { kind: "call", tool, offered: true, input };
    return { call, start: match.index, end: open + end, whole: closed };
  }
  return undefined;
}
