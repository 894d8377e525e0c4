import { isData } from "./number-context.js";

/** A part of an answer. */
export type Place = { readonly start: number; readonly end: number };
/** A citation: brackets with the numbers of sources. */
type CitationPlace = Place & { readonly numbers: readonly number[] };

// Each quantifier has a limit or consumes what it has read, so the time is linear in the length of the answer.
const blank = String.raw`[^\S\n]{0,3}`;
const name = String.raw`(?:(?:sources?|passages?|documents?|docs?|ref(?:erence)?s?|results?|contexts?|cite[ds]?|citations?|quellen?|dokumente?|fuentes?|documentos?|pasajes?|fontes?|fonti?)\b|источник|документ|来源|文档|段落|資料|出典|출처|문서)`;
/** Years have four digits, so `[2021]` is none. */
const number = String.raw`(?:${name}[.:]?)?${blank}[#^]?[\d０-９]{1,3}\^?${blank}`;
/** The name of a source, as in `[Source 1 | cats, 2nd.pdf]`. */
const file = String.raw`(?:\|${blank}(?=\p{L}|\p{N}[^,|\]\n]{0,99}?\p{L}{2})[^,|\]\n]{2,120}(?:,(?!${blank}${number}[,;|\]–-])[^,|\]\n]{1,120}){0,3}(?=[,\]]))?`;
const numbers = String.raw`${blank}${number}${file}(?:(?:[-–—,;、，/&和]|,?${blank}(?:and|or|und|et|y|e)\b)${blank}${number}${file}){0,50}`;
const page = String.raw`,\s{0,3}(?:(?:pp?|pages?|lines?|seiten?|zeilen?)\b|s\.)`;
const plain = String.raw`\\?[[［]${numbers}(?:${page}[^\]\n]{1,30})?\\?[\]］]`;
const named = String.raw`【${numbers}(?:†[^】\n]{0,80})?】|[(（](?=${name})${numbers}[)）]`;
const fenced = String.raw`^[^\S\n]{0,20}(?<fence>\x60{3,20}(?=[^\x60\n]*$)|~{3,20})(?:[^]*?\n[^\S\n]{0,20}\k<fence>[~\x60]*[^\S\n]*$|[^]*)`;
/** Code by its indent stands below an empty line, and not in a list. */
const indented = String.raw`^(?= {4}|\t)(?<=^(?!\s|[-*+•>]\s|\d{1,3}[.)]\s).*\n[^\S\n]*\n)(?:(?: {4}|\t).*(?:\n|$)(?:[^\S\n]*\n)*)+`;
const tagged = String.raw`<(?<tag>pre|code)\b[^>\n]{0,99}>[^]{0,2000}?</\k<tag>>`;
const ticked = String.raw`(?<!\x60)(?<ticks>\x60{1,20})(?!\x60).{1,500}?(?<!\x60)\k<ticks>(?!\x60)`;
/** Numbers that are links, and definitions of links and footnotes. */
const linked = String.raw`${plain}(?=\([^\s()]{1,500}\))|^${plain}(?=:)`;
const linkedText = String.raw`\[(?=[^\]\n]{0,200}\p{L})[^[\]\n]{1,200}\]${plain}`;
const formula = String.raw`\$\$[^$]{1,500}\$\$|\$(?=[^\s\d])[^$\n]{1,200}(?<=\S)\$(?!\d)|\\\(.{1,200}?\\\)|\\\[[^]{1,300}?\\\]`;
const notWords = [fenced, indented, tagged, ticked, linked, `(?<citation>${plain}|${named})`, linkedText, formula];
const marks = new RegExp(notWords.join("|"), "gimu");

/** What stands beside the numbers. */
const beside = new RegExp(`†.*|${page}.*|${file}`, "giu");

/** A range of more numbers is no citation. */
const widestRange = 50;

/** Reads numbers in brackets. Returns none for an interval such as `[0, 1]`, as sources are counted from 1. */
function numbersIn(text: string): number[] {
  const found = new Set<number>();
  const inside = text.normalize("NFKC").replace(beside, "");
  for (const [, dash, digits] of inside.matchAll(/([-–—])?[^\d–—-]*(\d+)/g)) {
    const to = Number(digits);
    const from = dash ? Math.max(...found) + 1 : to;
    if (from < 1 || to < from || to - from > widestRange || found.has(from)) return [];
    for (let each = from; each <= to; each += 1) found.add(each);
  }
  return [...found];
}

/**
 * Finds the citations in an answer. There are none in code, formulas and links.
 *
 * @param known The number of sources.
 * @returns The citations, and the answer in which citations are replaced by "]", and code, formulas and links by "x".
 */
export function citationsIn(answer: string, known: number): { citations: CitationPlace[]; words: string } {
  const citations: CitationPlace[] = [];
  let [words, before, dataEnd] = ["", "", -1];
  for (const { 0: text, index: start, groups } of answer.matchAll(marks)) {
    const end = start + text.length;
    before = (before + answer.slice(words.length, start)).slice(-60);
    const numbers = groups?.citation === undefined ? [] : numbersIn(text);
    const isNamed = !/^\\?[[［]\s*\d/.test(text);
    // What follows data is data, too: `a[1][2]`, `[1, 2] and [3, 4]`.
    const isNext = dataEnd >= 0 && /^(?:\s*(?:,|and|or|&)\s*)?$/.test(answer.slice(dataEnd, start));
    const isCitation = isNamed || !(isNext || isData(numbers, known, before, answer.slice(end, end + 40)));
    if (numbers.length > 0 && isCitation) citations.push({ start, end, numbers });
    else if (groups?.citation) dataEnd = end;
    const filler = citations.at(-1)?.end === end ? "]".repeat(text.length) : text.replaceAll(/[^\n]/g, "x");
    words += answer.slice(words.length, start) + filler;
    before += filler;
  }
  return { citations, words: words + answer.slice(words.length) };
}
