import type { ToolInput } from "../../../turn/decision.js";
import type { ToolNames } from "../tool-names.js";
import { inputText } from "./call-input.js";
import type { WrittenCall } from "./json-call.js";

/** A call or an answer in tags, with its place. */
export interface TagCall {
  readonly call: WrittenCall;
  readonly start: number;
  readonly end: number;
}

type Form = (text: string, tools: ToolNames) => TagCall | undefined;

/**
 * Finds calls and answers in tags. It knows the forms on which models were trained: `<tool>…</tool><tool_input>…`,
 * `<function=search>{…}</function>`, `<invoke name="search"><parameter name="q">…`, `<search><q>…</q></search>`,
 * `<final_answer>…</final_answer>`. JSON in tags is found as JSON.
 */
export function findTagCall(text: string, tools: ToolNames): TagCall | undefined {
  if (!text.includes("<")) return undefined;
  return forms
    .map((form) => form(text, tools))
    .filter((found) => found !== undefined)
    .sort((a, b) => a.start - b.start)[0];
}

const forms: readonly Form[] = [namedElements, functionElement, invokeElement, toolElement, answerElement];

interface Element {
  readonly inside: string;
  readonly start: number;
  readonly end: number;
}

/** Returns the first element with one of the names. An element that is never closed ends at the end of the text. */
function element(text: string, names: readonly string[], from = 0): Element | undefined {
  for (const name of names) {
    const start = text.indexOf(`<${name}>`, from);
    if (start < 0) continue;
    const inside = start + name.length + 2;
    const close = text.indexOf(`</${name}>`, inside);
    return close < 0
      ? { inside: text.slice(inside), start, end: text.length }
      : { inside: text.slice(inside, close), start, end: close + name.length + 3 };
  }
  return undefined;
}

function toolCall(written: string, input: ToolInput | undefined, tools: ToolNames): WrittenCall {
  const tool = tools.match(written);
  const call = { kind: "call", tool: tool ?? written.trim(), offered: tool !== undefined } as const;
  return input === undefined ? call : { ...call, input };
}

function namedElements(text: string, tools: ToolNames): TagCall | undefined {
  for (const label of ["tool_name", "function_name", "tool", "action"]) {
    const name = element(text, [label]);
    if (!name || name.inside.includes("<") || name.inside.trim() === "" || name.end === text.length) continue;
    const input = element(text, ["tool_input", "action_input", "parameters", "arguments", "input"], name.end);
    const value = input && (parameterFields(input.inside) ?? inputText(input.inside).text);
    return { call: toolCall(name.inside, value, tools), start: name.start, end: input?.end ?? name.end };
  }
  return undefined;
}

/** The opening tag. Some models leave out its end: `<function=search{"query": "x"}</function>`. */
const functionOpening = /<function=["']?([^\s"'<>{}]{1,200})["']?\s{0,9}(?:>|(?=\{))/;

function functionElement(text: string, tools: ToolNames): TagCall | undefined {
  const match = functionOpening.exec(text);
  if (!match?.[1]) return undefined;
  const inside = match.index + match[0].length;
  const close = text.indexOf("</function>", inside);
  const body = text.slice(inside, close < 0 ? undefined : close);
  const end = close < 0 ? text.length : close + "</function>".length;
  return { call: toolCall(match[1], parameterFields(body) ?? jsonOrText(body), tools), start: match.index, end };
}

const invokeOpening = /<invoke name=["']([^"'<>]{1,200})["']\s{0,20}>/;

function invokeElement(text: string, tools: ToolNames): TagCall | undefined {
  const match = invokeOpening.exec(text);
  if (!match?.[1]) return undefined;
  const inside = match.index + match[0].length;
  const close = text.indexOf("</invoke>", inside);
  const body = text.slice(inside, close < 0 ? undefined : close);
  const end = close < 0 ? text.length : close + "</invoke>".length;
  return { call: toolCall(match[1], parameterFields(body) ?? {}, tools), start: match.index, end };
}

function toolElement(text: string, tools: ToolNames): TagCall | undefined {
  for (const name of tools.names) {
    const found = element(text, [name]);
    if (!found || found.end === text.length) continue;
    const input = parameterFields(found.inside) ?? jsonOrText(found.inside);
    return { call: { kind: "call", tool: name, offered: true, input }, start: found.start, end: found.end };
  }
  return undefined;
}

function answerElement(text: string): TagCall | undefined {
  const found = element(text, ["final_answer", "answer", "FINAL_ANSWER"]);
  if (!found || found.inside.trim() === "") return undefined;
  return { call: { kind: "answer", output: found.inside.trim() }, start: found.start, end: found.end };
}

const parameter = /<(?:parameter(?:=["']?|\s+name=["'])([\w.-]{1,100})["']?|([\w.-]{1,100}))>/g;

/** Reads parameters in a row: `<parameter name="q">x</parameter>`, `<parameter=q>x</parameter>` or `<q>x</q>`. */
function parameterFields(text: string): Record<string, unknown> | undefined {
  const fields = new Map<string, string>();
  parameter.lastIndex = 0;
  for (let match = parameter.exec(text); match; match = parameter.exec(text)) {
    const [whole, named, tag] = match;
    const close = text.indexOf(named ? "</parameter>" : `</${tag}>`, match.index + whole.length);
    if (close < 0) break;
    fields.set(named ?? tag ?? "", text.slice(match.index + whole.length, close).trim());
    parameter.lastIndex = close;
  }
  return fields.size > 0 ? Object.fromEntries(fields) : undefined;
}

function jsonOrText(body: string): Record<string, unknown> | string {
  const { text } = inputText(body);
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : text;
  } catch {
    return text;
  }
}
