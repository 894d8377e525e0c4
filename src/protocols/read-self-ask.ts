import type { ParsedReply, Reply } from "../decision.js";
import { Finder } from "./finder.js";
import { inputText, withoutDanglingMarks } from "./input-text.js";
import { isPlaceholder } from "./placeholders.js";
import type { ToolSpec } from "./protocol.js";
import { cutReasons, readReply } from "./read-reply.js";
import { replyText } from "./reply-text.js";
import { ToolNames } from "./tool-names.js";

interface Mark {
  readonly kind: "follow-up" | "intermediate" | "answer" | "question";
  readonly start: number;
  readonly end: number;
}

const followUp = "follow[ -]?ups?(?: questions?)?|追问|後続の質問|后续问题|跟进问题|추가 질문";
const intermediate = "intermediate answers?|中间答案|中間答案|중간 답변";
const answer =
  "(?:so|thus|therefore|hence)?,?[ ]?(?:the |my )?final answer(?: is| to [^\\n:]{0,200})?|(?:所以|因此)?[，,]?最终答案(?:是|为)?|그래서 최종 답은";
const begin = "(?:^|(?<=[.!?。]))[^\\p{L}\\p{N}\\n\"'(]{0,12}(?:\\d{1,3}[.)][ ]{0,3})?[*_]{0,3}";
const mark = new RegExp(
  `${begin}(?:(${followUp})|(${intermediate})|(${answer})|(question))(?:[ ]?#?\\d{1,3})?[ *_]{0,5}[:：][*_]{0,3}`,
  "gimu",
);
/** "So the final answer is 42", without a colon. */
const looseAnswer = /^[ \t*_]{0,9}(?:so|thus|therefore|hence),? the final answer is\b(?=[ \t]{1,9}\S)/gimu;

/**
 * Reads a reply of self-ask: the first follow-up question goes to the search tool; "So the final answer is:" ends the
 * turn. An intermediate answer of the model's own ends what is read. Anything else is read as the other protocols read it.
 */
export function readSelfAsk(reply: Reply | string, tools: readonly (ToolSpec | string)[]): ParsedReply {
  const { text, cut } = replyText(reply);
  const marks = marksOf(text);
  for (const [index, found] of marks.entries()) {
    if (found.kind === "intermediate" && (index > 0 || text.slice(0, found.start).trim() !== "")) break;
    const next = marks[index + 1];
    const written = text.slice(found.end, next?.start).trim();
    if (written === "" || isPlaceholder(written)) continue;
    if (found.kind === "follow-up") return ask(written, text, found.end, tools, next ? undefined : cut);
    if (found.kind === "answer") return finish(written, next ? undefined : cut);
  }
  return readOtherwise(reply, text, tools, marks.length > 0);
}

function marksOf(text: string): Mark[] {
  const strict = new Finder(text, mark, toMark);
  const loose = new Finder(text, looseAnswer, (match) => ({ kind: "answer" as const, ...placeOf(match) }));
  const marks: Mark[] = [];
  for (let place = 0; ; ) {
    const [one, other] = [strict.from(place), loose.from(place)];
    const first = !one || (other && other.start < one.start) ? other : one;
    if (!first) return marks;
    marks.push(first);
    place = Math.max(first.end, place + 1);
  }
}

function toMark(match: RegExpExecArray): Mark {
  const [, asks, between, ends] = match;
  const kind = asks ? "follow-up" : between ? "intermediate" : ends ? "answer" : "question";
  return { kind, ...placeOf(match) };
}

function placeOf(match: RegExpExecArray): { start: number; end: number } {
  return { start: match.index, end: match.index + match[0].length };
}

type Cut = keyof typeof cutReasons | undefined;

function ask(
  written: string,
  text: string,
  start: number,
  tools: readonly (ToolSpec | string)[],
  cut: Cut,
): ParsedReply {
  const [line = ""] = written.split("\n", 1);
  const tool = searchTool(new ToolNames(tools).names);
  if (cut && line === written && !/[?？]["'”*]*$/.test(line)) return { kind: "unparseable", why: cutReasons[cut] };
  if (tool === undefined)
    return { kind: "unparseable", why: "A follow-up question needs one search tool, and it is not clear which." };
  const toolInput = inputText(line).text;
  const log = text.slice(0, text.indexOf(line, start) + line.length).trimEnd();
  return { kind: "action", actions: [{ tool, toolInput, log }] };
}

/** The tool that answers follow-up questions: the one the paper names, or the only one, or the only search. */
function searchTool(names: readonly string[]): string | undefined {
  if (names.length <= 1) return names[0];
  const named = names.filter((name) => /^intermediate[ _-]?answer$/i.test(name));
  const searches = names.filter((name) => /search/i.test(name));
  return [named, searches].find((candidates) => candidates.length === 1)?.[0];
}

function finish(written: string, cut: Cut): ParsedReply {
  if (cut) return { kind: "unparseable", why: cutReasons[cut] };
  return { kind: "finish", output: withoutDanglingMarks(written).trim() };
}

function readOtherwise(
  reply: Reply | string,
  text: string,
  tools: readonly (ToolSpec | string)[],
  marked: boolean,
): ParsedReply {
  const spoken = text.replace(/^\s*(?:yes|no)\b[.,]?\s*/i, "");
  const finishReason = typeof reply === "string" ? undefined : reply.finishReason;
  const parsed = readReply({ text: spoken, toolCalls: [], invalidToolCalls: [], finishReason }, tools);
  if (parsed.kind === "action") return parsed;
  if (parsed.kind === "finish" && !marked) return parsed;
  if (parsed.kind === "unparseable" && !parsed.why.startsWith("It has neither")) return parsed;
  return { kind: "unparseable", why: 'It has neither a "Follow up:" question nor "So the final answer is:".' };
}
