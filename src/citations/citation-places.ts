/**
 * A mark in an answer: brackets with the numbers of sources, such as `[2]`, `[1, 3]` or `[1-3]`, or quoted words with their
 * quotation marks, which have no numbers.
 */
export interface Mark {
  readonly start: number;
  readonly end: number;
  readonly numbers?: readonly number[];
}

// Each quantifier has a limit or consumes what it has read, so the time is linear in the length of the answer.
const number = String.raw`[^\S\n]{0,3}\d{1,3}[^\S\n]{0,3}`;
/** Years have four digits, so `[2021]` is none. */
const brackets = String.raw`\[${number}(?:[-–—,;]${number}){0,50}\]`;
const fence = "^[^\\S\\n]{0,20}(?<fence>`{3,20}(?=[^`\\n]*$)|~{3,20})";
const codeBlock = String.raw`${fence}(?:[^]*?\n[^\S\n]{0,20}\k<fence>[~${"`"}]*[^\S\n]*$|[^]*)`;
const code = String.raw`(?<!${"`"})(?<ticks>${"`"}{1,20})(?!${"`"}).{1,500}?(?<!${"`"})\k<ticks>(?!${"`"})`;
const formula = String.raw`\$\$[^$]{1,500}\$\$|\$(?=[^\s\d])[^$\n]{1,200}(?<=\S)\$(?!\d)|\\\(.{1,200}?\\\)|\\\[[^]{1,300}?\\\]`;
/** An index such as `a[1][2]`, a link, and the definition of one. */
const otherBrackets = String.raw`(?<=[\w\\^])(?:${brackets}){1,20}|${brackets}(?=\()|^${brackets}(?=:)`;
const notWords = new RegExp(`${codeBlock}|${code}|${formula}|${otherBrackets}|(?<citation>${brackets})`, "gm");

const wordStart = String.raw`(?<=^|[\s([{<>*_~:;,/|—–-]|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana})`;
const inLine = String.raw`\n(?![^\S\n]{0,20}\n)`;
const quoted = (open: string, close: string) => `${open}(?:[^${open}${close}\\n]|${inLine}){1,2000}[${close}]`;
/** A quote whose first mark may end one, too. */
const turned = (open: string, close: string) => `${wordStart}(?=.\\S)${quoted(open, close)}`;
/** A quote in apostrophes. `'90s`, `don't` and `the dogs' bowls` are none. */
function inApostrophes(open: string, close: string): string {
  const inWord = String.raw`(?<=[\p{L}\p{N}])${close}(?=[\p{L}\p{N}])|(?<=[sS])${close}(?=\s\p{L})`;
  const begin = String.raw`${wordStart}${open}(?!\d|(?:tis|twas|em|til|cause|n|round)\b)(?=\S)`;
  return String.raw`${begin}(?:[^${open}${close}\n]|${inWord}|${inLine}){1,2000}(?<!\s)${close}(?![\p{L}\p{N}])`;
}
const quote = new RegExp(
  [
    ...[String.raw`${turned('"', '"')}(?<!\s")(?![\p{L}\p{N}])`, inApostrophes("'", "'"), inApostrophes("‘", "’")],
    ...[turned("”", "”"), turned("»", "«"), turned("›", "‹")],
    ...["“”", "«»", "‹›", "「」", "『』"].map(([open = "", close = ""]) => quoted(open, close)),
    quoted("„", '“”"'),
  ].join("|"),
  "gu",
);

const closers = String.raw`)\]*_"'”’»」』\s`;
const abbreviation = String.raw`(?:^|[\s(])(?:\p{Lu}|Dr|Mr|Mrs|Ms|St|Prof|No|Nr|vs|ca|Fig|approx|e\.g|i\.e|z\.B)\.`;
const sentenceEnd = new RegExp(
  [
    String.raw`[.!?…](?<!${abbreviation})[${closers}]{0,60}\s(?!\]|[\]\s]{0,60}[\p{Ll}\d])`,
    `[。！？][${closers}]{0,60}`,
    // The end of a paragraph, of an item of a list, or of a row of a table.
    String.raw`\n(?=[^\S\n]{0,20}(?:\n|[-*+•]\s|#{1,6}\s|\||\d{1,3}[.)]\s))`,
  ].join("|"),
  "gu",
);

/** A range of more numbers is no citation. */
const widestRange = 50;

/** Reads numbers in brackets. Returns undefined for an interval such as `[0, 1]`, as sources are counted from 1. */
function numbersIn(inside: string): number[] | undefined {
  const numbers = new Set<number>();
  for (const part of inside.split(/[,;]/)) {
    const [first = 0, last = first, ...more] = part.split(/[-–—]/).map(Number);
    if (first < 1 || last < first || last - first >= widestRange || more.length > 0) return undefined;
    for (let each = first; each <= last; each += 1) numbers.add(each);
  }
  return [...numbers];
}

/**
 * Finds the citations in an answer. There are none in code, formulas and links.
 *
 * @returns The citations, and the answer with other signs in their place, and in that of code, formulas and links.
 */
export function citationsIn(answer: string): { readonly citations: Required<Mark>[]; readonly words: string } {
  const citations: Required<Mark>[] = [];
  let words = "";
  for (const { 0: text, index: start, groups } of answer.matchAll(notWords)) {
    const numbers = groups?.citation && numbersIn(text.slice(1, -1));
    words += answer.slice(words.length, start) + (numbers ? "]".repeat(text.length) : text.replaceAll(/[^\n]/g, "x"));
    if (numbers) citations.push({ start, end: words.length, numbers });
  }
  return { citations, words: words + answer.slice(words.length) };
}

/** Finds the citations and the quotes of an answer, sentence by sentence. */
export function sentencesOf(answer: string): Mark[][] {
  const { citations, words } = citationsIn(answer);
  if (citations.length === 0) return [];
  const quotes: Mark[] = [...words.matchAll(quote)].map(({ 0: text, index }) => ({
    start: index,
    end: index + text.length,
  }));
  // What stands in a quote ends no sentence. Its last sign may.
  const outside = words.replaceAll(quote, (text) => "x".repeat(text.length - 2) + text.slice(-2));
  const ends = [...outside.matchAll(sentenceEnd)].map(({ 0: text, index }) => index + text.length);
  const sentences: Mark[][] = [[]];
  let end = 0;
  for (const mark of [...citations, ...quotes].sort((one, other) => one.start - other.start)) {
    if ((ends[end] ?? Infinity) <= mark.start) sentences.push([]);
    while ((ends[end] ?? Infinity) <= mark.start) end += 1;
    sentences.at(-1)?.push(mark);
  }
  return sentences;
}
