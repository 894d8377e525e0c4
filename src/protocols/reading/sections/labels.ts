import { type LabelKind, type Meaning, protocolWords, type Vocabulary } from "../label-words.js";

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
export function wordPlace({ start, decoration }: Pick<Label<string>, "start" | "decoration">): number {
  return start + decoration.length;
}

/** Yields the labels at the beginning of a line, in their order. */
export function* lineLabels<Kind extends string>(text: string, words: Vocabulary<Kind>): Generator<Label<Kind>> {
  for (let line = 0, end = 0; end >= 0; line = end + 1) {
    const label = labelOfLine(text, words, line);
    if (label) yield label;
    end = text.indexOf("\n", line);
  }
}

/** Tells whether a line that is still being written may become a label, or is one. */
export function mayBecomeLabel<Kind extends string>(written: string, words: Vocabulary<Kind>): boolean {
  const line = written.slice(0, longestOpening + longestWord + 1);
  // With a letter after it, a line of signs that may come before a label begins a word.
  if (["A", ".A"].some((rest) => endOf(opening, line + rest, 0) === line.length + rest.length - 1)) return true;
  const start = endOf(opening, line, 0);
  if (start === undefined) return false;
  const [word = ""] = line.slice(start).split(/[:：]/, 1);
  if (word.length > longestWord) return false;
  return words.mayBecome(word) || words.meaningOf(withoutClosing(word)) !== undefined;
}

const longestOpening = 24;
/**
 * List marks, numbers such as `1.`, hashes, asterisks and similar signs before a word. The signs that never come before a label
 * belong to JSON, code, a sum, a path or another label.
 */
const opening = new RegExp(
  String.raw`(?:\d{1,3}[.)]|[^\p{L}\d(\n"'“”‘’«$%&+=/@{|~:：]){0,${longestOpening - 1}}(?=[\p{L}(])`,
  "uy",
);
/** A word up to its colon or the end of its line, of at most 60 characters, as labels are. */
const longestWord = 60;
const labelWord = new RegExp(`[^\\n:：]{0,${longestWord}}(?=[\\n:：]|$)`, "y");
/** The colon, and emphasis that ends after it, as in `**Action:** search`. */
const labelColon = /[:：](?:\*{1,3}|__|`(?!`)|:)?/y;

/** Returns the end of the match of a sticky pattern at a place. */
function endOf(pattern: RegExp, text: string, place: number): number | undefined {
  pattern.lastIndex = place;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** Returns the label at the beginning of the line at a place. */
export function labelOfLine<Kind extends string>(
  text: string,
  words: Vocabulary<Kind>,
  line = 0,
): Label<Kind> | undefined {
  const start = endOf(opening, text, line);
  const end = start === undefined ? undefined : endOf(labelWord, text, start);
  if (start === undefined || end === undefined) return undefined;
  const word = withoutClosing(text.slice(start, end));
  const meaning = words.meaningOf(word);
  const decoration = text.slice(line, start);
  const afterColon = endOf(labelColon, text, end);
  const colon = afterColon !== undefined;
  if (!meaning || !(colon || isHeading(meaning, word, decoration))) return undefined;
  return { ...meaning, word, decoration, colon, inline: false, start: line, end: afterColon ?? end };
}

/** Removes the number and the closing marks of a label: `Action 2**` becomes `Action`. */
function withoutClosing(written: string): string {
  return written.replace(/[ \t\r\u00a0*_`\])】>#(\d]+$/, "");
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

/** The protocol's own words that count within a line, too. */
const inlineWords = [
  ...["Action Input", "Action_Input", "ActionInput", "Action", "Final Answer", "final answer is"],
  ...["Observation", "Thought", "最终答案是", "最終答案是", "最后答案是", "最终回答是", "最終回答是", "最后回答是"],
  ...["最终答案", "最終答案", "最后答案", "最终回答", "最終回答", "最后回答", "最終的な答え", "최종 답변"],
];
const inlineWord = inlineWords.join("|");
/** A label comes after a space, after the end of a sentence, or glued to a word, as in `I look it upAction: search`. */
const beforeInline = String.raw`(?<=[ \t\u00a0\u3000.,;!?)\]}。，；！？）】])|(?<=[\p{Ll}\p{Lo}\p{N}])(?=\*{0,3}[A-Z])`;
const inlineLabel = new RegExp(
  String.raw`(?:${beforeInline})(\*{0,3})(${inlineWord})(?: ?\d{1,3})?\*{0,3} ?[:：]\*{0,3}`,
  "gu",
);

/** Yields the labels within a line that begin at a place or after it, in their order. They are capitalised. */
export function* inlineLabels(text: string, from = 0): Generator<Label> {
  inlineLabel.lastIndex = from;
  for (const { index, 0: whole, 1: decoration = "", 2: word = "" } of text.matchAll(inlineLabel)) {
    const meaning = protocolWords.meaningOf(word);
    if (meaning)
      yield { ...meaning, word, decoration, colon: true, inline: true, start: index, end: index + whole.length };
  }
}
