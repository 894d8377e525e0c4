import { searchableText } from "../index/indexed-words.js";
import type { FoundPassage } from "../index/passage-search.js";
import { commonShare, nameOf } from "./rank-by-names.js";
import { searchWords } from "./search-words.js";

/** The share of common words (Dice's coefficient) from which two passages say the same: eight of ten are in both. */
const sameShare = 0.89;

/**
 * Moves passages behind the others if they say the same as a better one of another document. Otherwise versions or copies of one
 * page would fill all places. These have the same title or the same file name, and no word of the query that the better one
 * does not have: records with the same frame, such as pages about errors or products, stay where they are.
 */
export function repeatsLast(passages: readonly FoundPassage[], query: string): readonly FoundPassage[] {
  const asked = searchWords(query);
  const known = new Map<FoundPassage, ReadonlySet<string>>();
  const wordsIn = (passage: FoundPassage): ReadonlySet<string> => {
    const { title, path, headings, text } = passage;
    const words = known.get(passage) ?? new Set(searchableText([title, path, ...headings, text].join("\n")).split(" "));
    known.set(passage, words);
    return words;
  };
  const repeats = (one: FoundPassage, other: FoundPassage): boolean => {
    if (one.document === other.document) return false;
    if (one.title !== other.title && nameOf(one.path) !== nameOf(other.path)) return false;
    const [words, better] = [wordsIn(one), wordsIn(other)];
    return commonShare(words, better) >= sameShare && asked.every((word) => better.has(word) || !words.has(word));
  };
  const [first, last]: [FoundPassage[], FoundPassage[]] = [[], []];
  for (const passage of passages) (first.some((other) => repeats(passage, other)) ? last : first).push(passage);
  return [...first, ...last];
}
