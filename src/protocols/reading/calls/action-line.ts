import { isFinishWord } from "../label-words.js";
import { isPlaceholder } from "../placeholders.js";
import type { ToolNames } from "../tool-names.js";
import { beginsFence, fencedText } from "./call-input.js";
import { JsonReader } from "./json-reader.js";

/** The meaning of the text after an `Action:` label. */
export type ActionLine =
  | { readonly kind: "tool"; readonly tool: string; readonly offered: boolean; readonly input?: string }
  | { readonly kind: "finish"; readonly output: string }
  | { readonly kind: "none" }
  | { readonly kind: "unclear"; readonly why: string };

/**
 * Reads the text after an `Action:` label. It may be the name of a tool, or a call such as `tool(input)`, `tool[input]`
 * or `tool: input`. It may also be the paper's `Finish[answer]`, or say that there is nothing to do.
 */
export function readActionLine(value: string, tools: ToolNames): ActionLine {
  const text = unfenced(value);
  const line = firstLine(text);
  if (!/[\p{L}\p{N}]/u.test(line.slice(0, 1000)) && tools.match(line) === undefined)
    return readNone(line) ?? { kind: "unclear", why: "The Action line is empty: it names no tool." };
  if (isPlaceholder(line)) return { kind: "unclear", why: "The Action line is a copy of the instructions." };
  return (
    readFinish(line, text, tools) ??
    readName(line, text, tools) ??
    readNone(line) ??
    readQuoted(text, tools) ??
    readCall(line, text, tools) ??
    readMention(line, tools) ??
    readUnknown(line, text, tools)
  );
}

/** Tells whether a line can follow an `Action:` label. */
export function looksLikeAction(line: string, tools: ToolNames): boolean {
  const read = readActionLine(line, tools);
  return read.kind === "tool" ? read.offered : read.kind !== "unclear";
}

function firstLine(text: string): string {
  const end = text.indexOf("\n");
  return end < 0 ? text : text.slice(0, end);
}

function unfenced(value: string): string {
  const text = value.trim();
  if (beginsFence(text)) return fencedText(text).text;
  if (/^\p{L}/u.test(text)) return text;
  return text
    .replace(/^(?:[-•*]\s{1,9}|\d{1,2}[.)]\s{1,9})(?=[\p{L}`*"])/u, "")
    .replace(/^[*_`"'“]+(?=[\p{L}\p{N}])/u, "");
}

/** A word at the beginning of an action line, with the signs around it. A bracket, a colon or nothing follows it. */
const leadingWord = /^[\s"'`*[<]*([\p{L}'’ _-]{2,60})[\s"'`*\]>]*(?=$|[[(:：=\n{-])/u;

const finishSentence =
  /^(?:(?:provide|give|return|output|state|write|present|deliver|submit)\s+(?:the\s+|my\s+|a\s+)?final\s+(?:answer|response)|(?:answer|respond|reply)(?:\s+to)?(?:\s+the)?(?:\s+(?:user|question|human))?(?:\s+directly)?|(?:directly\s+|direct[\s_-]+)(?:answer|respond|response|reply)|(?:直接)?(?:回复|回答|回應|回覆|答复)(?:用户|用戶|问题|使用者)?|(?:给出|输出|返回|提供)最终(?:答案|回答)|直接回答(?:する)?|직접 ?(?:답변|응답))[\s.*`"'。]*$/i;

function readFinish(line: string, text: string, tools: ToolNames): ActionLine | undefined {
  const [written, word] = leadingWord.exec(text.slice(0, 100)) ?? [];
  if (written !== undefined && word !== undefined && isFinishWord(word)) {
    return { kind: "finish", output: withoutName(callInput(text.slice(written.length)) ?? "") };
  }
  if (line.startsWith("[") && /^\[\s{0,9}answer\s{0,9}\]\s*$/i.test(line)) return { kind: "finish", output: "" };
  return finishSentence.test(line) && !tools.match(line) ? { kind: "finish", output: "" } : undefined;
}

/** Removes the name of the argument in `finish(answer="…")`. */
function withoutName(argument: string): string {
  return argument.replace(
    /^(?:final_?)?(?:answer|output|response|result|text|content|message)\s{0,9}=\s{0,9}(?=["'“])/i,
    "",
  );
}

/** Reads a line that is only the name of a tool. Below it may be an input without a label, if it is code or JSON. */
function readName(line: string, text: string, tools: ToolNames): ActionLine | undefined {
  const tool = tools.match(line);
  if (tool === undefined) return undefined;
  const below = text.slice(line.length).trim();
  return { kind: "tool", tool, offered: true, ...(/^(?:```|'''|\{)/.test(below) ? { input: below } : {}) };
}

const none =
  /^[\s"'`*[(<]*(?:(?:none|n\/?a|null|nil|nothing|not (?:needed|required|applicable)|skip|-+|无|無|なし|없음|không(?: có)?|ninguna|aucune|keine)(?:[\s"'`*.,;:)\]>–—-]|$)|no[ _](?:further |additional |more |specific |other )?(?:action|tool)s?\b|无需|不需要|没有)/i;

function readNone(line: string): ActionLine | undefined {
  return saysNone(line) ? { kind: "none" } : undefined;
}

/** Tells whether a line says that there is nothing to do: `None`, `N/A`, `无`. */
export function saysNone(line: string): boolean {
  return none.test(line);
}

const nameAndQuoted = /^([\p{L}_][\p{L}\p{N}_.:-]{0,80})["'`]?,[ \t]{0,9}(["'][^\n]*["'])$/u;

/** Reads `search, "cats"`. The name may be of no tool. */
function readQuoted(text: string, tools: ToolNames): ActionLine | undefined {
  const [, name, input] = nameAndQuoted.exec(text) ?? [];
  if (name === undefined || input === undefined) return undefined;
  if (isFinishWord(name)) return { kind: "finish", output: input };
  const tool = tools.match(name);
  return { kind: "tool", tool: tool ?? name, offered: tool !== undefined, input };
}

function readCall(line: string, text: string, tools: ToolNames): ActionLine | undefined {
  const lead = tools.leading(text) ?? foldedLead(text, tools);
  if (lead === undefined) return undefined;
  const input = callInput(lead.rest);
  if (input === undefined && tools.mentioned(line).length > 1) return undefined;
  return { kind: "tool", tool: lead.tool, offered: true, ...(input === undefined ? {} : { input }) };
}

/** Reads the name of a tool in another spelling, before the sign that begins its input. */
function foldedLead(text: string, tools: ToolNames): { tool: string; rest: string } | undefined {
  const end = text.slice(0, 200).search(/[([{:：="]/);
  const tool = end > 0 ? tools.match(text.slice(0, end)) : undefined;
  return tool === undefined ? undefined : { tool, rest: text.slice(end) };
}

/** Returns the input after the name of a tool. Returns undefined if the text continues in another way. */
function callInput(rest: string): string | undefined {
  const text = rest.replace(/^[`*\\ \t]+/, "");
  if (text.startsWith("(") || text.startsWith("[")) return bracketed(text).inside;
  if (/^[{"'“]/.test(text)) return text.trim();
  const sign =
    /^(?:[:：=|]|->|=>|→|(?:with|using)\s+(?:the\s+)?(?:action\s+)?(?:input|query|arguments?|parameters?)\b\s*[:=]?)\s*/i.exec(
      text,
    );
  if (sign) return text.slice(sign[0].length).trim() || undefined;
  const below = text.trim();
  return /^\n\s*(?:```|'''|\{)/.test(text) ? below : undefined;
}

/** Returns the text inside the brackets at a place. It ends at the end of the line if the brackets are never closed. */
export function bracketed(
  text: string,
  open = 0,
  json = new JsonReader(text),
): { readonly inside: string; readonly end: number; readonly closed: boolean } {
  const scanned = json.endOf(open);
  if ("end" in scanned) {
    return { inside: text.slice(open + 1, scanned.end - 1).trim(), end: scanned.end, closed: true };
  }
  const newline = text.indexOf("\n", open);
  const line = text.slice(open, newline < 0 ? undefined : newline);
  const close = line.lastIndexOf(line.startsWith("(") ? ")" : "]");
  const end = close > 0 ? close : line.length;
  return { inside: line.slice(1, end).trim(), end: open + end + (close > 0 ? 1 : 0), closed: close > 0 };
}

function readMention(line: string, tools: ToolNames): ActionLine | undefined {
  const [tool, another] = tools.mentioned(line);
  if (tool === undefined || another !== undefined) return undefined;
  const rest = line.slice(line.indexOf(tool) + tool.length);
  const input = rest.startsWith("[") || rest.startsWith("(") ? bracketed(rest).inside : undefined;
  return { kind: "tool", tool, offered: true, ...(input === undefined ? {} : { input }) };
}

const unknownCall = /^([\p{L}_][\p{L}\p{N}_.:-]{0,80}(?: [\p{L}\p{N}_]{1,30}){0,3})\s?([[(])/u;

/** Keeps the name of an unknown tool as it is written. The model is then told that there is no such tool. */
function readUnknown(line: string, text: string, tools: ToolNames): ActionLine {
  const [whole, name, bracket] = unknownCall.exec(text) ?? [];
  if (whole !== undefined && name !== undefined) {
    const { inside, end } = bracketed(text.slice(whole.length - 1));
    if (bracket === "(" && tools.names.length > 0) {
      const inSentence = /^\p{L}.{0,99} /u.test(name) || /^ +\p{L}/u.test(text.slice(whole.length - 1 + end));
      return inSentence ? unknown(line) : { kind: "unclear", why: codeInAction };
    }
    return { kind: "tool", tool: name, offered: false, input: inside };
  }
  return unknown(line);
}

function unknown(line: string): ActionLine {
  return { kind: "tool", tool: line.trim().replace(/[\s"'`*”]+$/, ""), offered: false };
}

const codeInAction = "The Action line holds code instead of the name of a tool.";
