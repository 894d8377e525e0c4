import type { Place } from "./citation-places.js";

/** Quoted words in an answer, or the end of a sentence. */
export type QuotePlace = Place & { readonly kind: "quote" | "block" | "end" };

const inLine = String.raw`\n(?![^\S\n]{0,20}\n)`;
const quoted = (marks: string, inside = inLine) => `${marks[0]}(?:[^${marks}\\n]|${inside}){1,2000}[${marks.slice(1)}]`;
const wordStart = String.raw`(?<=^|[\s([{<>*_~:;,/|—–-]|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana})`;
/** A quote whose marks may also stand elsewhere. */
const turned = (marks: string, inside = inLine, notAfter = String.raw`\s`) =>
  String.raw`${wordStart}(?!.(?:${notAfter}))${quoted(marks, inside)}(?<!\s.)(?![\p{L}\p{N}])`;
/** `'90s`, `don't` and `the dogs' bowls` are no quotes. */
const inWord = String.raw`(?<=[\p{L}\p{N}])['’](?=[\p{L}\p{N}])|(?<=[sS])['’](?=\s\p{L})|${inLine}`;
const apostrophes = ["''", "‘’"].map((marks) =>
  turned(marks, inWord, String.raw`\s|\d|(?:tis|twas|em|til|cause|n|round)\b`),
);
/** A block quote, up to a citation below it, and italics before a citation. */
const block = String.raw`(?<block>(?:^[^\S\n]{0,3}>[^\n"“”«»„「」]*(?:\n|$)){1,200}(?:[^\S\n]*\n)?(?:[—–-]?[^\S\n]*(?=\]))?|(?<![*_\p{L}\p{N}])[*_](?![\s*_])[^*_\n"“”«»„「」]{1,500}[*_](?=[\s.,;:]{0,3}\]))`;

const closers = String.raw`)\]*_"'”’»”」』\s`;
const abbreviation = String.raw`(?:^|[\s(])(?:\p{Lu}|Dr|Mr|Mrs|Ms|St|Prof|No|Nr|vs|ca|Fig|approx|e\.g|i\.e|z\.B)\.`;
/** The end of a sentence, a paragraph, an item of a list, or a row of a table. */
const sentenceEnd = String.raw`(?<end>(?<=[.!?…](?<!${abbreviation})[${closers}]{0,60})\s(?!\]|[\]\s]{0,60}[\p{Ll}\d])|(?<=[。！？][${closers}]{0,60})(?![${closers}])|\n(?=[^\S\n]{0,20}(?:\n|[-*+•]\s|#{1,6}\s|\||\d{1,3}[.)]\s)))`;
const pairs = ["“”", "«»", "‹›", "「」", "『』", "‚‘", '„“”"'].map((marks) => quoted(marks));
const turnedPairs = ['""', "””", "»«", "›‹"].map((marks) => turned(marks));
const places = new RegExp([block, ...pairs, ...turnedPairs, ...apostrophes, sentenceEnd].join("|"), "gmu");

/** Finds quotes and the ends of sentences outside them, in an answer whose citations are replaced by "]". */
export function quotePlaces(words: string): QuotePlace[] {
  return [...words.matchAll(places)].map(({ 0: text, index: start, groups }) => {
    if (groups?.end !== undefined) return { start, end: start, kind: "end" };
    if (groups?.block === undefined) return { start, end: start + text.length, kind: "quote" };
    return { start, end: start + text.replace(/[\s—–-]+$/, "").length, kind: "block" };
  });
}
