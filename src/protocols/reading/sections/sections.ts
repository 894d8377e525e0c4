import type { JsonReader } from "../calls/json-reader.js";
import { type LabelKind, protocolWords } from "../label-words.js";
import { inlineLabels, type Label, lineLabels, wordPlace } from "./labels.js";

/** A part of a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A section of a reply: a label with its text, or the text before the first label. */
export interface Section {
  readonly kind: LabelKind | "text";
  readonly label?: Label;
  /** The text up to the next section. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

interface OpenSection extends Omit<Section, "value" | "end"> {
  readonly valueStart: number;
  /** Tells whether the labels of this step are items of a list. */
  readonly listed: boolean;
}

/**
 * The largest number of labels and brackets to look at. A reply with more of them is broken, and its rest is not split.
 */
const mostLooks = 500;

/**
 * Splits a reply into its sections, in one pass. A label inside JSON, or inside the fence of an input, does not count.
 * An input ends at a label of the protocol. An answer ends only if the model clearly continues with another step.
 *
 * @param startsAction Tells whether the text after an `Action:` label is an action, and not a part of a longer answer.
 * @param calls The places of calls with signs of their own, in their order. No label in them counts.
 */
export function splitSections(
  text: string,
  json: JsonReader,
  startsAction: (value: string) => boolean,
  calls: readonly Span[] = [],
): Section[] {
  const sections: Section[] = [];
  let open: OpenSection = { kind: "text", label: undefined, start: 0, valueStart: 0, listed: false };
  let [place, looks] = [0, 0];
  for (const { start, end, label, sign } of placesIn(text, calls)) {
    if (start < place || (sign && !hidesLabels[sign].includes(open.kind))) continue;
    looks += 1;
    if (looks > mostLooks) break;
    place = sign === undefined ? end : endOfValue(text, { start, end, sign }, json);
    if (!label || (label.inline && !inlineKinds[open.kind]?.includes(label.kind))) continue;
    if (!endsSection(label, open, text, startsAction)) continue;
    sections.push(closeSection(text, open, label.start));
    const listed = isListItem(label) || (label.kind === "input" && open.listed);
    open = { kind: label.kind, label, start: label.start, valueStart: label.end, listed };
  }
  sections.push(closeSection(text, open, text.length));
  return sections;
}

/** Tells whether an action or a final answer follows a section, before any observation. */
export function hasStepAfter(sections: readonly Section[], index: number): boolean {
  const next = sections.slice(index + 1).find(({ kind, label }) => kind === "observation" || isStep(kind, label));
  return next !== undefined && next.kind !== "observation";
}

function isStep(kind: Section["kind"], label: Label | undefined): boolean {
  return (kind === "action" || kind === "answer") && label?.weak === false;
}

function closeSection(text: string, { kind, label, start, valueStart }: OpenSection, end: number): Section {
  return { kind, label, value: text.slice(valueStart, end), start, end };
}

/** The kinds of labels that count within a line of a section. */
const inlineKinds: Readonly<Partial<Record<Section["kind"], readonly LabelKind[]>>> = {
  text: ["action", "input", "answer", "observation"],
  thought: ["action", "input", "answer", "observation"],
  question: ["thought", "action", "answer"],
  action: ["input"],
  input: ["observation"],
};

/** The kinds of sections in which a value hides labels. A broken value of an observation, which is data, hides no step after it. */
const hidesLabels: Readonly<Record<"bracket" | "fence", readonly Section["kind"][]>> = {
  bracket: ["text", "question", "thought", "action", "input", "answer"],
  fence: ["input"],
};

/** A label, a call with signs of its own, or a bracket or a fence that may open a value. No label in a value counts. */
interface Place extends Span {
  readonly label?: Label;
  readonly sign?: "bracket" | "fence";
}

/** Returns the labels and the values of a text, in their order. */
function placesIn(text: string, calls: readonly Span[]): Place[] {
  const labels = [...lineLabels(text, protocolWords), ...inlineLabels(text)];
  const places = labels.map((label) => ({ start: label.start, end: label.end, label }));
  // A call comes before a label at the same place: `<tool: function>` is no label.
  return [...calls, ...places, ...signsIn(text, bracket, "bracket"), ...signsIn(text, fence, "fence")].sort(
    (one, other) => one.start - other.start,
  );
}

function signsIn(text: string, pattern: RegExp, sign: "bracket" | "fence"): Place[] {
  return [...text.matchAll(pattern)].flatMap(({ index: start, 0: { length } }) =>
    beforeValue.test(text.slice(Math.max(0, start - 24), start)) ? { start, end: start + length, sign } : [],
  );
}

/** The beginning of a line or of the value of a label. An opened fence may come before a value. */
const beforeValue = /(?:^|[\n:：])[ \t*_]{0,19}$|[\n:：][ \t]{0,9}```$/;

const bracket = /[{[]+/g;
const fence = /(?:```|''')[^\n`']{0,40}\n/g;
const closingFence = /^[ \t]{0,40}(?:```|''')/gm;

function endOfValue(text: string, { start, end, sign }: Place, json: JsonReader): number {
  if (sign === "bracket") return json.endOf(start) ?? end;
  closingFence.lastIndex = end;
  return closingFence.test(text) ? closingFence.lastIndex : end;
}

function endsSection(label: Label, open: OpenSection, text: string, startsAction: (value: string) => boolean): boolean {
  switch (open.kind) {
    case "action":
      return !label.weak || label.kind !== "action" || text.slice(open.valueStart, label.start).trim() === "";
    case "input":
      return (
        inventsResult(label, open, text) ||
        (isProtocolLine(label, open) &&
          (label.colon || label.kind === "observation" || label.word.includes("?")) &&
          (open.listed || !isListItem(label)) &&
          (!label.decoration.includes("#") || open.label?.decoration.includes("#") === true))
      );
    case "answer":
      return endsAnswer(label, open) && (label.kind !== "action" || startsAction(firstLine(text, label.end)));
    default:
      return beginsStep(label, text, startsAction);
  }
}

/** Tells whether a label outside of an input and an answer counts. A weak one does if it leads to an answer or an action. */
function beginsStep(label: Label, text: string, startsAction: (value: string) => boolean): boolean {
  if (!label.weak || label.kind === "answer") return true;
  return label.kind === "action" && startsAction(firstLine(text, label.end));
}

/** Returns the places of all labels in a text that count outside of an input and an answer. JSON hides none of them. */
export function labelPlaces(text: string, startsAction: (value: string) => boolean): number[] {
  const found = [...lineLabels(text, protocolWords), ...inlineLabels(text)];
  return found.filter((label) => beginsStep(label, text, startsAction)).map(wordPlace);
}

/**
 * Tells whether a label has the style of the protocol: capitalised, unless the reply writes its labels in lower case.
 */
function isProtocolLine({ weak, word }: Label, open: OpenSection): boolean {
  if (weak) return word === "AI";
  return !startsLow(word) || startsLow(open.label?.word ?? "");
}

/**
 * Tells whether `Result:` below an input of one line is an invented observation, which ends the input. A longer input may
 * have such a key itself.
 */
function inventsResult({ kind, weak, word, decoration, start }: Label, open: OpenSection, text: string): boolean {
  if (!weak || (kind !== "observation" && kind !== "answer") || decoration.trim() !== "" || startsLow(word))
    return false;
  return /^[^\n:：]+$/.test(text.slice(open.valueStart, start).trim());
}

function startsLow(word: string): boolean {
  const first = word.charAt(0);
  return first !== first.toUpperCase();
}

function isListItem({ decoration }: Label): boolean {
  return /[-•+\d]/.test(decoration);
}

/**
 * Tells whether a label in an answer begins another step. Such a label is bare or has the same decoration as the answer's
 * label; headings within the answer look different.
 */
function endsAnswer(label: Label, open: OpenSection): boolean {
  const decoration = label.decoration.trim();
  const plain = decoration === "" || (decoration === open.label?.decoration.trim() && !isListItem(label));
  return (
    plain &&
    label.colon &&
    label.kind !== "input" &&
    isProtocolLine(label, open) &&
    !label.weak &&
    !supposed.test(label.word)
  );
}

/** The beginning of a label for what is not seen yet. An answer may have such a heading. */
const supposed = /^\(?(?:expected|simulated|hypothetical)\b/i;

function firstLine(text: string, start: number): string {
  const end = text.indexOf("\n", start);
  return text.slice(start, end < 0 ? undefined : Math.min(end, start + 200)).trim();
}
