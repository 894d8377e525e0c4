import { isRecord } from "../../base/is-record.js";
import { canOmitInput } from "../input-forms.js";
import { fitted } from "./calls/arguments.js";
import type { PlacedCall } from "./calls/call-group.js";
import { type CutCall, type FoundCalls, findCalls } from "./calls/find-call.js";
import { asAnswer, isMention, mayBeExample, unreadable } from "./calls/mention.js";
import { answerInWords } from "./evidence.js";
import { findJsonAnswers, JsonAnswerReader } from "./json-answer.js";
import {
  act,
  copied,
  finish,
  noInput,
  nothing,
  type Outcome,
  type Problem,
  problem,
  type ReadCall,
  type Reading,
} from "./outcome.js";
import { isPlaceholder } from "./placeholders.js";
import { isPlainAnswer } from "./plain-answer.js";
import type { Section } from "./sections/sections.js";

/** Reads words without a label, or a thought. They may hold a call in JSON or in tags. */
export function readProse(reading: Reading, section: Section, index: number): Outcome | undefined {
  const found = findCalls(section.value, reading.names);
  const outcome = found && readFound(reading, section, found);
  if (outcome || reading.sections[index + 1]?.kind === "answer") return outcome;
  return (
    readAfterNo(reading, section) ??
    (index === reading.sections.length - 1 ? readAnnounced(reading, section) : undefined)
  );
}

/** The words "I now know the final answer", with Markdown or JSON below instead of a label. */
const announced =
  /^[^\n]{0,200}\b(?:know|give|have|here(?:['’]s| is))\b[^\n]{0,60}\b(?:final |great |complete )answer\b[^\n]{0,60}\n\s*(?=```|'''|#{1,6} |[-*•] |\d{1,2}[.)] |\||>|\*\*|[{[])/i;

const afterNo = /do i need to use a tool\?\s{0,9}no\b[.,!:\s]{0,9}/i;

/** Returns the places in a text, from any of its lines on, at which an answer without a label would begin. */
export function announcedPlaces(text: string): number[] {
  const announces = [...text.matchAll(new RegExp(announced, "gim"))].map(({ index, 0: words }) => index + words.length);
  const no = [...text.matchAll(new RegExp(afterNo, "gi"))].map(({ index, 0: said }) => index + said.indexOf("?") + 1);
  return [...announces, ...no];
}

function readAnnounced(reading: Reading, { value, end }: Section): Outcome | undefined {
  const announcement = announced.exec(value.trimStart())?.[0];
  if (announcement === undefined) return undefined;
  const block = value.trimStart().slice(announcement.length);
  const read = answerInWords(block.trim(), reading.names);
  return read.kind === "unparseable" ? read : finish(reading, block, { start: end - block.length, whole: false });
}

/** Reads an answer right after "Do I need to use a tool? No" of the conversational agent. */
function readAfterNo({ names }: Reading, { label, value }: Section): Outcome | undefined {
  const text = `${label?.word ?? ""}\n${value}`;
  const match = afterNo.exec(text);
  if (!match) return undefined;
  const said = text.slice(match.index + match[0].length).trim();
  const rest = said.replace(/^(?:AI|Assistant)\s{0,9}[:：]\s*/, "");
  return isPlainAnswer(rest, names) ? answerInWords(rest, names) : undefined;
}

/**
 * Reads calls that were found in a section. Of calls without the signs of a form the first counts, and only if it is no example.
 *
 * @param known.isLabelled Tells whether the label of an action stands before the calls.
 */
export function readFound(
  reading: Reading,
  section: Section,
  found: FoundCalls | CutCall,
  { isLabelled = false } = {},
): Outcome {
  const { text } = reading.reply;
  const isWords = reading.sections.every(({ kind }) => kind === "text");
  if ("cut" in found && found.isForm) return { ...problem(unreadable), ...(isWords && { atLimit: text.trim() }) };
  if ("cut" in found) return readCut(reading, section, found);
  const { whole, isForm, calls } = found;
  const [first] = calls;
  const valueStart = section.end - section.value.length;
  const place = { start: valueStart + found.start, end: valueStart + found.end, whole };
  if (first === undefined || first.call.kind === "none") return nothing;
  if (first.call.kind === "answer") return finish(reading, first.call.output, place);
  const { isNative } = reading.options;
  const isCertain = isLabelled || isForm || (!isNative && first.call.kind === "call" && first.call.isBlob);
  if (!isCertain && isMention(section.value, found))
    return { ...problem(mayBeExample), ...(isWords && asAnswer(text, place)) };
  const countAll = isForm || isNative;
  const read = (countAll ? calls : [first]).map((call) => readWrittenCall(reading, call, valueStart));
  const slip = read.find((call) => call.kind === "unparseable");
  if (slip) return { ...slip, ...(!isCertain && isWords && asAnswer(text, place)) };
  const made = read.filter((call) => call.kind === "read");
  const end = countAll ? place.end : valueStart + first.end;
  return act(reading, made, { ...place, end });
}

/** Reads JSON that breaks off. The text of an answer in it is the answer, as far as it goes. */
function readCut(reading: Reading, { value, end }: Section, { start }: CutCall): Outcome {
  const json = value.slice(start);
  const [text] = findJsonAnswers(json);
  const answer = text === undefined ? "" : new JsonAnswerReader(text).push(json);
  if (answer === "") return problem("Its JSON breaks off before the end.");
  const outcome = finish(reading, answer, { start: end - json.length, whole: false });
  if (outcome.kind === "unparseable" || outcome.parsed.kind !== "finish") return outcome;
  return { ...outcome, parsed: { ...outcome.parsed, cut: "length" } };
}

function readWrittenCall(
  reading: Reading,
  { call, start, end }: PlacedCall,
  from: number,
): Problem | (ReadCall & { readonly kind: "read" }) {
  if (call.kind === "slip") return problem(call.why);
  if (call.kind !== "call") return problem("It mixes calls of tools with an answer.");
  const { tool, offered, input } = call;
  const spec = reading.names.spec(tool);
  if (input === undefined && offered && !canOmitInput(spec ?? tool)) return problem(noInput(tool));
  if (typeof input === "string" && isPlaceholder(input)) return problem(copied);
  const toolInput = isRecord(input) || reading.options.isNative ? fitted(input ?? "", spec) : (input ?? "");
  return { kind: "read", tool, toolInput, start: from + start, end: from + end };
}
