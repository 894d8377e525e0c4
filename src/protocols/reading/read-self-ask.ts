import type { ParsedReply, Reply } from "../../core/state/decision.js";
import type { Cut } from "../../provider-forms/finish-reason.js";
import { looksLikeAction } from "./calls/action-line.js";
import { inputText, withoutDanglingMarks } from "./calls/call-input.js";
import { callPlaces } from "./calls/find-call.js";
import { Vocabulary } from "./label-words.js";
import { problem } from "./outcome.js";
import { isPlaceholder } from "./placeholders.js";
import { cutReasons, readReply } from "./read-reply.js";
import { type Label, lineLabels, wordPlace } from "./sections/labels.js";
import { promptedText } from "./sections/reply-text.js";
import { labelPlaces } from "./sections/sections.js";
import { tokenPlaces } from "./sections/special-tokens.js";
import { type KnownTools, ToolNames } from "./tool-names.js";

type MarkKind = "follow-up" | "intermediate" | "answer" | "question";

type Mark = Pick<Label<MarkKind>, "kind" | "decoration" | "start" | "end">;

/** The labels of self-ask. */
export const selfAskWords = new Vocabulary<MarkKind>({
  "follow-up":
    "follow up|follow ups|followup question|follow up questions|next follow up|追问|追問|後続の質問|后续问题|跟进问题|추가 질문",
  intermediate: "intermediate answer|intermediate answers|中间答案|中間答案|중간 답변",
  answer:
    "so the final answer is|the final answer is|so the final answer|thus the final answer is|therefore the final answer is|" +
    "hence the final answer is|so the answer is|final answer is|final answer|the final answer|my final answer is|所以最终答案是|因此最终答案是|" +
    "最终答案是|最终答案|最終的な答え|최종 답변",
  question: "question",
});
/** A follow-up on the same line as the "Yes." before it, and the words "So the final answer is 42", without a colon. */
const looseMark =
  /(?<=[.!]) {1,3}\*{0,2}Follow[ -]?up(?: question)? ?\d{0,2}\*{0,2}:\*{0,2}|^[ \t*_]{0,9}(?:so|thus|therefore|hence),? the final answer is\b(?=[ \t]{1,9}[^\s:])/gim;
/** The words of a prompt before the first words of the model. */
const opening = /^[ \t]{0,9}Are follow[ -]?up questions needed here[ \t]{0,9}:/gim;

/**
 * Reads a reply of self-ask. The first follow-up question goes to the search tool. "So the final answer is:" ends the
 * turn. An intermediate answer that the model wrote itself ends the reading. The other protocols' reader reads all
 * other replies.
 */
export function readSelfAsk(reply: Reply | string, tools: KnownTools): ParsedReply {
  const { text, cut } = promptedText(reply);
  const marks = marksOf(text);
  for (const [index, found] of marks.entries()) {
    if (found.kind === "intermediate" && (index > 0 || text.slice(0, found.start).trim() !== "")) break;
    const next = marks[index + 1];
    const written = withoutDanglingMarks(text.slice(found.end, next?.start)).trim();
    if (written === "" || isPlaceholder(written)) continue;
    // An intermediate answer before it only repeats the prompt.
    const before = marks[index - 1]?.kind === "intermediate" ? "" : text.slice(0, found.start).trim();
    const thought = before === "" ? {} : { thought: before };
    const end = next || !cut ? {} : { cut };
    if (found.kind === "follow-up") return { ...ask(written, text, found, end, tools), ...thought };
    if (found.kind === "answer") return { kind: "finish", output: written, ...thought, ...end };
  }
  return readOtherwise(reply, text, tools, marks.length > 0);
}

/** Returns the places of all labels of self-ask in a text. A "Yes." that begins a line does not hide a label or a call. */
export function selfAskPlaces(text: string, tools: KnownTools): number[] {
  const rest = text.replaceAll(/^[^\S\n]*(?:yes|no)\b[.,]?[^\S\n]*/gim, (said) => "\n".repeat(said.length));
  return [
    ...marksOf(text).map(wordPlace),
    ...(rest === text ? [] : placesOfSteps(rest, new ToolNames(tools))),
    ...[...text.matchAll(opening)].map(({ index }) => index),
  ];
}

function placesOfSteps(text: string, names: ToolNames): number[] {
  const tags = tokenPlaces(text, names).map((place) => place + 1);
  return [...callPlaces(text, names), ...labelPlaces(text, (line) => looksLikeAction(line, names)), ...tags];
}

function marksOf(text: string): Mark[] {
  const loose = [...text.matchAll(looseMark)].map(({ index: start, 0: words }): Mark => {
    return { kind: /follow/i.test(words) ? "follow-up" : "answer", decoration: "", start, end: start + words.length };
  });
  return [...lineLabels(text, selfAskWords), ...loose].sort((one, other) => one.start - other.start);
}

function ask(written: string, text: string, { start, end }: Mark, { cut }: { cut?: Cut }, tools: KnownTools) {
  const [line = ""] = written.split("\n", 1);
  if (cut && line === written && !/[?？]["'”*]*$/.test(line)) return problem(cutReasons[cut]);
  const tool = searchTool(new ToolNames(tools).names);
  if (tool === undefined) return problem("A follow-up question needs one search tool, and it is not clear which.");
  const log = text.slice(0, text.indexOf(line, end) + line.length).trimEnd();
  const action = { tool, toolInput: inputText(line).text, log, written: log.slice(start).trim() };
  return { kind: "action" as const, actions: [action] };
}

/** Returns the tool for follow-up questions: the one that the paper names, the only tool, or the only search tool. */
function searchTool(names: readonly string[]): string | undefined {
  if (names.length <= 1) return names[0];
  const named = names.filter((name) => /^intermediate[ _-]?answer$/i.test(name));
  const searches = names.filter((name) => /search/i.test(name));
  return [named, searches].find((candidates) => candidates.length === 1)?.[0];
}

/** Removes the answer to "Are follow up questions needed here:" from the beginning of a reply. */
function withoutYes(text: string): string {
  return text.replace(/^\s*(?:yes|no)\b[.,]?\s*/i, "");
}

function readOtherwise(reply: Reply | string, text: string, tools: KnownTools, marked: boolean): ParsedReply {
  const spoken = withoutYes(text);
  const parsed = readReply(typeof reply === "string" ? spoken : { ...reply, text: spoken }, tools);
  const isRead = parsed.kind === "unparseable" ? !parsed.why.startsWith("It has neither") : parsed.kind === "action";
  if (isRead || (parsed.kind === "finish" && !marked)) return parsed;
  return problem('It has neither a "Follow up:" question nor "So the final answer is:".');
}
