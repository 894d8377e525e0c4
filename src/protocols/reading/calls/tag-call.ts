import { parsedJson } from "../../../base/attempted.js";
import { isRecord } from "../../../base/is-record.js";
import type { ToolInput } from "../../../core/state/decision.js";
import type { ToolNames } from "../tool-names.js";
import { inputText } from "./call-input.js";
import type { WrittenCall } from "./json-call.js";
import { escaped } from "./unescaped-call.js";

/** The place of tags in a text. `whole` is false if the last tag is never closed. */
interface TagPlace {
  readonly start: number;
  readonly end: number;
  readonly whole: boolean;
}

/** A call or an answer in tags, with its place. */
export interface TagCall extends TagPlace {
  readonly call: WrittenCall;
}

type Form = (text: string, tools: ToolNames) => TagCall | undefined;

/**
 * Finds calls and answers in tags. It knows the forms on which models were trained: `<tool>…</tool><tool_input>…`,
 * `<function=search>{…}</function>`, `<invoke name="search"><parameter name="q">…`, `<search><q>…</q></search>`,
 * `<tool_call>search<arg_key>q</arg_key><arg_value>…`, `<final_answer>…</final_answer>`. JSON in tags is found as JSON.
 */
export function findTagCall(text: string, tools: ToolNames): TagCall | undefined {
  if (!text.includes("<")) return undefined;
  return forms
    .map((form) => form(text, tools))
    .filter((found) => found !== undefined)
    .sort((a, b) => a.start - b.start)[0];
}

const nameTags = ["tool_name", "function_name", "tool", "action"];
const inputTags = ["tool_input", "action_input", "parameters", "arguments", "input"];
const answerTags = ["final_answer", "answer", "FINAL_ANSWER"];
/** The tags of calls with more signs than their name, and those around calls and results. */
const callTags = ["function", "invoke", "tool_call", "tool_calls", "function_calls", "tool_response", "tool_result"];

/**
 * Returns the places of all tags of calls and answers in a text, and of tags with the name of a tool. A last tag without
 * words after it is a placeholder, as in `Finish[<answer>]`.
 */
export function tagPlaces(text: string, tools: ToolNames): number[] {
  if (!text.includes("<")) return [];
  const names = [...nameTags, ...answerTags, ...callTags, ...tools.names.map(escaped)];
  const tag = new RegExp(String.raw`</?(?:${names.join("|")})(?=[\s>=({/]|$)`, "g");
  return [...text.matchAll(tag)]
    .filter(({ index, 0: { length } }) => text.charAt(index + 1) === "/" || hasWords(text.slice(index + length)))
    .map(({ index }) => index);
}

function hasWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

const forms: readonly Form[] = [namedElements, functionElement, invokeElement, nameElement, toolElement, answerElement];

interface Element extends TagPlace {
  readonly inside: string;
}

/** Returns the first element with one of the names. An element that is never closed ends at the end of the text. */
function element(text: string, names: readonly string[], from = 0): Element | undefined {
  for (const name of names) {
    const start = text.indexOf(`<${name}>`, from);
    if (start >= 0) return elementFrom(text, start, start + name.length + 2, `</${name}>`);
  }
  return undefined;
}

/** Returns the element that begins at `start`. Its inside begins at `from` and ends before the first closing tag. */
function elementFrom(text: string, start: number, from: number, ...closing: readonly string[]): Element {
  for (const tag of closing) {
    const close = text.indexOf(tag, from);
    if (close >= 0) return { inside: text.slice(from, close), start, end: close + tag.length, whole: true };
  }
  return { inside: text.slice(from), start, end: text.length, whole: false };
}

function placed({ start, end, whole }: TagPlace, call: WrittenCall): TagCall {
  return { call, start, end, whole };
}

function toolCall(written: string, input: ToolInput | undefined, tools: ToolNames): WrittenCall {
  const tool = tools.match(written);
  const call = { kind: "call", tool: tool ?? written.trim(), offered: tool !== undefined } as const;
  return input === undefined ? call : { ...call, input };
}

function namedElements(text: string, tools: ToolNames): TagCall | undefined {
  for (const label of nameTags) {
    const name = element(text, [label]);
    if (!name?.whole || name.inside.includes("<") || name.inside.trim() === "") continue;
    const input = element(text, inputTags, name.end);
    const value = input && (elementFields(input.inside) ?? inputText(input.inside).text);
    return placed({ ...(input ?? name), start: name.start }, toolCall(name.inside, value, tools));
  }
  return undefined;
}

/** The opening tag. Some models leave out its end: `<function=search{"query": "x"}</function>`. Others write it wrong. */
const functionOpening = /<function(?:=["']?|\(["']?)([^\s"'<>{}=()]{1,200})["']?\)?\s{0,9}(?:>|=?\s{0,9}(?=\{))/;

function functionElement(text: string, tools: ToolNames): TagCall | undefined {
  const match = functionOpening.exec(text);
  if (!match?.[1]) return undefined;
  const found = elementFrom(text, match.index, match.index + match[0].length, "</function>", "</tool_call>");
  return placed(found, toolCall(match[1], elementInput(found.inside), tools));
}

const invokeOpening = /<invoke name=["']([^"'<>]{1,200})["']\s{0,20}>/;

function invokeElement(text: string, tools: ToolNames): TagCall | undefined {
  const match = invokeOpening.exec(text);
  if (!match?.[1]) return undefined;
  const found = elementFrom(text, match.index, match.index + match[0].length, "</invoke>");
  const input = elementInput(found.inside);
  return placed(found, toolCall(match[1], typeof input === "string" ? {} : input, tools));
}

const nameOpening = /<tool_call>\s{0,20}([^\s"'<>{}[\]]{1,200})\s{0,20}(?=<arg_key>|<\/tool_call>)/;

/** Reads GLM's `<tool_call>search` with keys and values. A call without any counts only for a tool of that name. */
function nameElement(text: string, tools: ToolNames): TagCall | undefined {
  const match = nameOpening.exec(text);
  if (!match?.[1]) return undefined;
  const found = elementFrom(text, match.index, match.index + match[0].length, "</tool_call>");
  const fields = keyedFields(found.inside);
  const call = toolCall(match[1], fields ?? {}, tools);
  return fields || (found.inside === "" && tools.match(match[1])) ? placed(found, call) : undefined;
}

function toolElement(text: string, tools: ToolNames): TagCall | undefined {
  for (const name of tools.names) {
    const found = element(text, [name]);
    if (found?.whole)
      return placed(found, { kind: "call", tool: name, offered: true, input: elementInput(found.inside) });
  }
  return undefined;
}

function answerElement(text: string): TagCall | undefined {
  const found = element(text, answerTags);
  if (!found || (found.whole ? found.inside.trim() === "" : !hasWords(found.inside))) return undefined;
  return placed(found, { kind: "answer", output: found.inside.trim() });
}

/** Reads the inside of a call's element: fields in tags, JSON or plain text. */
function elementInput(body: string): ToolInput {
  return elementFields(body) ?? jsonOrText(body);
}

type Fields = Record<string, string>;

/**
 * Reads parameters in a row: `<parameter name="q">x</parameter>`, `<parameter=q>x</parameter>` or `<q>x</q>`. Returns
 * undefined for JSON and for plain text.
 */
function elementFields(body: string): Fields | undefined {
  if (/^\s*\{/.test(body)) return undefined;
  return closedFields(body, parameter, (tag) => (tag === undefined ? "</parameter>" : `</${tag}>`)) ?? openFields(body);
}

const parameter = /<(?:parameter(?:=["']?|\s+name=["'])([\w.-]{1,100})["']?|([\w.-]{1,100}))>/g;

/** Reads parameters in the form of GLM: `<arg_key>q</arg_key><arg_value>x</arg_value>`. */
function keyedFields(body: string): Fields | undefined {
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
  const value = parsedJson(text);
  return isRecord(value) ? value : text;
}
