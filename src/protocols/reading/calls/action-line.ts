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
 * Reads the text after an `Action:` label: the name of a tool, a call such as `tool(input)`, `tool[input]` or `tool: input`,
 * the paper's `Finish[answer]`, or words that say that there is nothing to do.
 */
export function readActionLine(value: string, tools: ToolNames): ActionLine {
  const text = unfenced(value);
  const [line = ""] = text.split("\n", 1);
  if (isPlaceholder(line)) return { kind: "unclear", why: "The Action line is a copy of the instructions." };
  const known = readFinish(line, text, tools) ?? readName(line, text, tools);
  if (known) return known;
  if (saysNone(line)) return { kind: "none" };
  if (!/[\p{L}\p{N}]/u.test(line)) return { kind: "unclear", why: "The Action line is empty: it names no tool." };
  return readCall(line, text, tools) ?? readMention(line, tools) ?? readUnknown(line);
}

/** Tells whether a line can follow an `Action:` label. */
export function looksLikeAction(line: string, tools: ToolNames): boolean {
  const read = readActionLine(line, tools);
  return read.kind === "tool" ? read.offered : read.kind !== "unclear";
}

function unfenced(value: string): string {
  const text = value.trim();
  if (beginsFence(text)) return fencedText(text).text;
  return text
    .replace(/^(?:[-•*]\s{1,9}|\d{1,2}[.)]\s{1,9})(?=[\p{L}`*"])/u, "")
    .replace(/^[*_`"'“]+(?=[\p{L}\p{N}])/u, "");
}

/** A word at the beginning of an action line, with the signs around it. A bracket, a colon or nothing follows it. */
const leadingWord = /^[\s"'`*[<]*([\p{L}'’ _-]{2,60})[\s"'`*\]>]*(?=$|[[(:：=,\n{-])/u;

const finishSentence =
  /^(?:(?:provide|give|return|output|state|write|present|deliver|submit)\s+(?:the\s+|my\s+|a\s+)?final\s+(?:answer|response)|(?:answer|respond|reply)(?:\s+to)?(?:\s+the)?(?:\s+(?:user|question|human))?(?:\s+directly)?|(?:directly\s+|direct[\s_-]+)(?:answer|respond|response|reply)|(?:直接)?(?:回复|回答|回應|回覆|答复)(?:用户|用戶|问题|使用者)?|(?:给出|输出|返回|提供)最终(?:答案|回答)|直接回答(?:する)?|직접 ?(?:답변|응답))[\s.*`"'。]*$/i;

function readFinish(line: string, text: string, tools: ToolNames): ActionLine | undefined {
  const [written, word] = leadingWord.exec(text.slice(0, 100)) ?? [];
  if (written !== undefined && word !== undefined && isFinishWord(word)) {
    return { kind: "finish", output: withoutName(callInput(text.slice(written.length)) ?? "") };
  }
  const isFinish = /^\[\s{0,9}answer\s{0,9}\]\s*$/i.test(line) || (finishSentence.test(line) && !tools.match(line));
  return isFinish ? { kind: "finish", output: "" } : undefined;
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

/** Tells whether a line says that there is nothing to do: `None`, `N/A`, `无`. */
export function saysNone(line: string): boolean {
  return none.test(line);
}

/** The sign between the name of a tool and its input. */
const inputSign =
  /[([{"“]|\s*(?:[:：=|]|,(?=[ \t]*["'])|->|→|\n\s*(?=```|'''|\{)|\s(?:with|using)\s+(?:the\s+)?(?:action\s+)?(?:input|query|arguments?|parameters?)\b\s*[:=]?)/i;

const quotedInput = /^[\p{L}_][\p{L}\p{N}_.:-]{0,80}(?:, *["']|\(["'][^()]*["']\)\s*$|\[[^[\]]+\]\s*$)/u;

/** Reads `search[cats]`, `search: cats`, `search("cats")` or `search, "cats"`. All but the second may be of no tool. */
function readCall(line: string, text: string, tools: ToolNames): ActionLine | undefined {
  const sign = inputSign.exec(text.slice(0, 200));
  const name = text.slice(0, sign?.index);
  const tool = tools.match(name);
  if (!sign || (tool === undefined && !quotedInput.test(line))) return undefined;
  if (tool !== undefined && breaksOff(text, sign.index))
    return { kind: "unclear", why: "The brackets of its call are never closed." };
  const input = callInput(text.slice(sign.index));
  if (input === undefined && tools.mentioned(line).length > 1) return undefined;
  return { kind: "tool", tool: tool ?? name, offered: tool !== undefined, ...(input !== undefined && { input }) };
}

/** Tells whether the brackets at a place are never closed. A question in them is whole all the same. */
function breaksOff(text: string, place: number): boolean {
  if (!/[([]/.test(text.charAt(place))) return false;
  const { inside, closed } = bracketed(text, place);
  return !closed && !/[?？]["'”]?$/.test(inside);
}

/** Returns the input after the name of a tool. Returns undefined if there is none. */
function callInput(text: string): string | undefined {
  if (/^[([]/.test(text)) return bracketed(text).inside;
  const [sign = ""] = /^(?![{"“])/.test(text) ? (inputSign.exec(text) ?? []) : [];
  return text.slice(sign.length).trim() || undefined;
}

/** Returns the text inside the brackets at a place. It ends at the end of the line if the brackets are never closed. */
export function bracketed(
  text: string,
  open = 0,
  json = new JsonReader(text),
): { readonly inside: string; readonly end: number; readonly closed: boolean } {
  const closing = json.endOf(open);
  if (closing !== undefined) return { inside: text.slice(open + 1, closing - 1).trim(), end: closing, closed: true };
  const newline = text.indexOf("\n", open);
  const line = text.slice(open, newline < 0 ? undefined : newline);
  const close = line.lastIndexOf(line.startsWith("(") ? ")" : "]");
  const end = close > 0 ? close : line.length;
  return { inside: line.slice(1, end).trim(), end: open + end + (close > 0 ? 1 : 0), closed: close > 0 };
}

/** Words of a sentence about the use of a tool: `search the web for cats`. */
const sentenceWords = /\b(?:a|an|and|as|by|for|from|in|is|of|on|or|that|the|this|to|tool|using|via|with)\b/i;

/** Reads a line that names one tool. What follows a name at its beginning may be the input: `go_to forest`. */
function readMention(line: string, tools: ToolNames): ActionLine | undefined {
  const [tool, another] = tools.mentioned(line);
  if (tool === undefined || another !== undefined) return undefined;
  const rest = line.startsWith(`${tool} `) ? line.slice(tool.length).trim() : "";
  const isInput = /^[\p{L}\p{N}"'`“]/u.test(rest) && !sentenceWords.test(rest);
  return { kind: "tool", tool, offered: true, ...(isInput && { input: rest }) };
}

/** Keeps the name of an unknown tool as it is written. The model is then told that there is no such tool. */
function readUnknown(line: string): ActionLine {
  return { kind: "tool", tool: line.trim().replace(/[\s"'`*”]+$/, ""), offered: false };
}
