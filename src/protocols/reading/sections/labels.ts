import { type LabelKind, type Meaning, protocolWords, type Vocabulary } from "../label-words.js";
import { Finder, patternFinder } from "./finder.js";

/** A label in a reply: `Action:`, `**Thought 2:**`, `### Final Answer`, `最终答案：`. */
export interface Label<Kind extends string = LabelKind> extends Meaning<Kind> {
  /** The word as written. */
  readonly word: string;
  /** The signs before the word: list marks, hashes, asterisks, backticks. */
  readonly decoration: string;
  /** Tells whether a colon ends the label. A label without one is a heading: it is alone on its line. */
  readonly colon: boolean;
  /** Tells whether other text comes before the label on its line. */
  readonly inline: boolean;
  /** The index at which the label begins, with its decoration. */
  readonly start: number;
  /** The index at which the text after the label begins. */
  readonly end: number;
}

/** Returns the place of a label's word. No sign may come between it and the signs before it. */
export function wordPlace({ start, decoration }: Label<string>): number {
  return start + decoration.length;
}

/** Makes a finder for the labels at the beginning of a line. */
export function lineLabels<Kind extends string>(text: string, words: Vocabulary<Kind>): Finder<Label<Kind>> {
  let line = 0;
  return new Finder((place) => {
    while (line < place && line >= 0) line = nextLine(text, line);
    while (line >= 0) {
      const label = labelAt(text, line, words);
      line = nextLine(text, line);
      if (label) return label;
    }
    return undefined;
  });
}

/** Returns the label at the beginning of a line. */
export function labelOfLine<Kind extends string>(line: string, words: Vocabulary<Kind>): Label<Kind> | undefined {
  return labelAt(line, 0, words);
}

/** Tells whether a line that is still being written may become a label, or is one. */
export function mayBecomeLabel<Kind extends string>(written: string, words: Vocabulary<Kind>): boolean {
  const line = written.slice(0, longestOpening + longestWord + 1);
  // With a letter after it, a line of signs that may come before a label begins a word.
  if (["A", ".A"].some((rest) => skipOpening(line + rest, 0) === line.length + rest.length - 1)) return true;
  const start = skipOpening(line, 0);
  if (start < 0) return false;
  const [word = ""] = line.slice(start).split(/[:：]/, 1);
  if (word.length > longestWord) return false;
  return words.mayBecome(word) || words.meaningOf(withoutClosing(word)) !== undefined;
}

/** Returns the beginning of the next line that is not empty, or -1 after the last line. */
function nextLine(text: string, place: number): number {
  let line = text.indexOf("\n", place) + 1;
  if (line === 0) return -1;
  while (isLineBreak(text.charCodeAt(line))) line += 1;
  return line;
}

const newline = 10;
const asterisk = 42;
/** The first sign of `(Simulated) Observation:`. */
const roundBracket = 40;

function codes(signs: string): ReadonlySet<number> {
  return new Set([...signs].map((sign) => sign.charCodeAt(0)));
}

function isLineBreak(code: number): boolean {
  return code === newline || code === 13;
}

/** A word up to its colon or the end of its line. It is at most 60 characters long, as labels are. */
const longestWord = 60;
const labelWord = new RegExp(`[^\\n:：]{0,${longestWord}}`, "y");

function labelAt<Kind extends string>(text: string, line: number, words: Vocabulary<Kind>): Label<Kind> | undefined {
  const start = skipOpening(text, line);
  if (start < 0 || !words.mayBeginAt(text, start)) return undefined;
  const end = endOf(labelWord, text, start);
  const colon = isColon(text.charCodeAt(end));
  if (!colon && end < text.length && text.charCodeAt(end) !== newline) return undefined;
  const word = withoutClosing(text.slice(start, end));
  const meaning = words.meaningOf(word);
  const decoration = text.slice(line, start);
  if (!meaning || !(colon || isHeading(meaning, word, decoration))) return undefined;
  const { kind, weak } = meaning;
  const after = colon ? endOf(emphasisEnd, text, end + 1) : end;
  return { kind, weak, word, decoration, colon, inline: false, start: line, end: after };
}

const longestOpening = 24;
/** The signs that never come before a label. They belong to JSON, code, a sum, a path or another label. */
const noOpening = codes(`\n"'“”‘’«$%&+=/@{|~:：`);

/**
 * Skips list marks, numbers, hashes, asterisks and similar signs. Returns -1 if the line begins with something else.
 */
function skipOpening(text: string, line: number): number {
  const limit = Math.min(text.length, line + longestOpening);
  let place = line;
  while (place < limit) {
    const code = text.charCodeAt(place);
    if (isLetter(code) || code === roundBracket) return place;
    if (noOpening.has(code)) return -1;
    const next = isDigit(code) ? endOf(listNumber, text, place) : place + 1;
    if (next === place) return -1;
    place = next;
  }
  return -1;
}

/** Examples: `1.` and `12)`. */
const listNumber = /\d{1,3}[.)]/y;
/** Emphasis that ends after the colon, as in `**Action:** search`. */
const emphasisEnd = /\*{1,3}|__|`(?!`)|:/y;

/** Returns the end of the match of a sticky pattern, or the place itself if there is no match. */
function endOf(pattern: RegExp, text: string, place: number): number {
  pattern.lastIndex = place;
  return pattern.test(text) ? pattern.lastIndex : place;
}

function isLetter(code: number): boolean {
  if (code < 128) return (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
  return /\p{L}/u.test(String.fromCharCode(code));
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isColon(code: number): boolean {
  return code === 0x3a || code === 0xff1a;
}

/** Removes the number and the closing marks of a label: `Action 2**` becomes `Action`. */
function withoutClosing(written: string): string {
  let end = written.length;
  while (end > 0 && isClosing(written.charCodeAt(end - 1))) end -= 1;
  return written.slice(0, end);
}

const closing = codes(" \t\r\u00a0*_`])】>#(");

function isClosing(code: number): boolean {
  return isDigit(code) || closing.has(code);
}

/**
 * Tells whether words without a colon are a label. They are one if they have the marks of a heading. `Observation`
 * always is one, as a stop text may cut off its colon.
 */
function isHeading({ kind, weak }: Meaning<string>, word: string, decoration: string): boolean {
  if (weak) return false;
  if (word === "Observation" || word === "Final Answer" || word === "Action Input" || word.includes("?")) return true;
  return kind !== "question" && /[#*_[【`]/.test(decoration);
}

const inlineWord =
  /Action[ _]?Input|Action|Final Answer|final answer is|Observation|Thought|最[终終后](?:答案|回答)是?|最終的な答え|최종 답변/g;

/**
 * Makes a finder for the labels within a line. It knows only the protocol's own words, capitalised. They come after a
 * space, after the end of a sentence, or glued to a word.
 */
export function inlineLabels(text: string): Finder<Label> {
  return patternFinder(text, inlineWord, (match) => inlineLabel(text, match.index, match[0]));
}

/** The signs that may come before a label within a line: a space, or the end of a sentence. */
const beforeInline = codes(" \t\u00a0\u3000.,;!?)]}。，；！？）】");
/** Tells whether a label is glued to a word, as in `I look it upAction: search`. */
function isGlued(text: string, start: number, word: string): boolean {
  return /^[A-Z]/.test(word) && /[\p{Ll}\p{Lo}\p{N}]$/u.test(text.slice(Math.max(0, start - 2), start));
}

const openWords = [
  ...["Action Input", "Action_Input", "ActionInput", "Final Answer", "final answer is", "Observation", "Thought"],
  ...["最终答案是", "最終答案是", "最后答案是", "最终回答是", "最終回答是", "最后回答是", "最終的な答え", "최종 답변"],
];
const openInline = new RegExp(String.raw`\*{0,3}(?:${inlineWord.source})(?: ?\d{0,3})?\*{0,3} ?$`);

/**
 * Returns the place from which the end of an unfinished line may become a label within it. It is the length of the line
 * if there is none.
 */
export function inlineLabelAtEnd(line: string): number {
  for (let place = Math.max(0, line.length - "final answer is".length); place < line.length; place += 1) {
    const end = line.slice(place);
    if (openWords.some((word) => word.startsWith(end))) return place;
  }
  return openInline.exec(line)?.index ?? line.length;
}

const inlineColon = /(?: ?\d{1,3})?\*{0,3} ?[:：]\*{0,3}/y;

function inlineLabel(text: string, place: number, word: string): Label | undefined {
  let start = place;
  while (place - start < 3 && text.charCodeAt(start - 1) === asterisk) start -= 1;
  if (!beforeInline.has(text.charCodeAt(start - 1)) && !isGlued(text, start, word)) return undefined;
  const colon = place + word.length;
  const end = endOf(inlineColon, text, colon);
  const meaning = protocolWords.meaningOf(word);
  if (end === colon || !meaning) return undefined;
  const { kind, weak } = meaning;
  return { kind, weak, word, decoration: text.slice(start, place), colon: true, inline: true, start, end };
}
