import type { JsonReader } from "../calls/json-reader.js";
import { type LabelKind, protocolWords } from "../label-words.js";
import { all, Finder, type Found, patternFinder, toFound } from "./finder.js";
import { inlineLabels, type Label, lineLabels, wordPlace } from "./labels.js";

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
  calls: readonly Found[] = [],
): Section[] {
  const scanner = new LabelScanner(text, json, calls);
  const sections: Section[] = [];
  let open: OpenSection = { kind: "text", label: undefined, start: 0, valueStart: 0, listed: false };
  for (let label = scanner.next(0, open.kind); label; label = scanner.next(label.end, open.kind)) {
    if (!endsSection(label, open, text, startsAction)) continue;
    sections.push(closeSection(text, open, label.start));
    const listed = isListItem(label) || (label.kind === "input" && open.listed);
    open = { kind: label.kind, label, start: label.start, valueStart: label.end, listed };
  }
  sections.push(closeSection(text, open, text.length));
  return sections;
}

function closeSection(text: string, { kind, label, start, valueStart }: OpenSection, end: number): Section {
  return { kind, label, value: text.slice(valueStart, end), start, end };
}

const inlineKinds: Readonly<Record<Section["kind"], readonly LabelKind[]>> = {
  text: ["action", "input", "answer", "observation"],
  thought: ["action", "input", "answer", "observation"],
  question: ["thought", "action", "answer"],
  action: ["input"],
  input: ["observation"],
  observation: [],
  answer: [],
};

/** A scanner that goes over a reply from label to label. It skips JSON and fenced inputs. */
class LabelScanner {
  private looksLeft = mostLooks;
  private readonly lines: Finder<Label>;
  private readonly inlines: Finder<Label>;
  private readonly brackets: Finder<Found>;
  private readonly fences: Finder<Found>;
  private readonly closings: Finder<Found>;
  private readonly calls: Finder<Found>;

  constructor(
    text: string,
    private readonly json: JsonReader,
    calls: readonly Found[],
  ) {
    let next = 0;
    this.calls = new Finder(() => calls[next++]);
    this.lines = lineLabels(text, protocolWords);
    this.inlines = inlineLabels(text);
    this.brackets = patternFinder(text, bracket, (match) => valueAt(text, match));
    this.fences = patternFinder(text, fence, (match) => valueAt(text, match));
    this.closings = patternFinder(text, closingFence, toFound);
  }

  next(from: number, open: Section["kind"]): Label | undefined {
    for (let place = from; this.looksLeft > 0; ) {
      this.looksLeft -= 1;
      const value = earlier(this.brackets.from(place), open === "input" ? this.fences.from(place) : undefined);
      const literal = earlier(this.calls.from(place), value);
      const label = earlier(this.lines.from(place), this.inlines.from(place));
      if (literal && (!label || literal.start < label.start)) place = this.endOfLiteral(literal);
      else if (label?.inline && !inlineKinds[open].includes(label.kind)) place = label.end;
      else return label;
    }
    return undefined;
  }

  private endOfLiteral({ start, end }: Found): number {
    if (this.calls.from(start)?.start === start) return end;
    if (this.fences.from(start)?.start === start) return this.closings.from(end)?.end ?? end;
    const blob = this.json.endOf(start);
    return "end" in blob ? blob.end : end;
  }
}

const bracket = /[{[]+/g;
const fence = /(?:```|''')[^\n`']{0,40}\n/g;
const closingFence = /^[ \t]{0,40}(?:```|''')/gm;

function valueAt(text: string, match: RegExpExecArray): Found | undefined {
  return beginsValue(text, match.index) ? toFound(match) : undefined;
}

/** Tells whether a place begins a line or the value of a label. An opened fence may come before it. */
function beginsValue(text: string, place: number): boolean {
  let before = place - 1;
  while (before >= 0 && place - before < 20 && " \t*_".includes(text.charAt(before))) before -= 1;
  const sign = text.charAt(before);
  if (sign === "`") return /[:：\n][ \t]{0,9}```$/.test(text.slice(Math.max(0, before - 16), before + 1));
  return sign === "" || sign === "\n" || sign === ":" || sign === "：";
}

function earlier<T extends Found>(one: T | undefined, other: T | undefined): T | undefined {
  return !one || (other && other.start < one.start) ? other : one;
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
  const found = [lineLabels(text, protocolWords), inlineLabels(text)].flatMap((finder) => [...all(finder)]);
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
 * Tells whether `Result:` below an input of one line is invented. It then ends the input. A longer input may have such
 * a key itself.
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
  return decoration !== "" && /[-•+\d]/.test(decoration);
}

/**
 * Tells whether a label in an answer begins another step. It must be bare, or have the same decoration as the answer's
 * label. Headings of the answer look different.
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
