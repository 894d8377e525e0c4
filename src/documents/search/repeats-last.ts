import type { FoundPassage } from "../index/passage-search.js";

/** The share of common words from which two passages say the same. */
const sameShare = 0.8;

/**
 * Moves passages behind the others if they say the same as a better one of another document. Otherwise versions or copies of one
 * page would fill all places.
 */
export function repeatsLast(passages: readonly FoundPassage[]): readonly FoundPassage[] {
  const first: { readonly passage: FoundPassage; readonly words: ReadonlySet<string> }[] = [];
  const repeats: FoundPassage[] = [];
  for (const passage of passages) {
    const words = new Set([...passage.headings, passage.text].join("\n").split(/\s+/));
    const isRepeat = first.some((other) => other.passage.document !== passage.document && saySame(words, other.words));
    if (isRepeat) repeats.push(passage);
    else first.push({ passage, words });
  }
  return [...first.map(({ passage }) => passage), ...repeats];
}

/** Tells whether so many words are in both sets (Jaccard's index). It ends when too many are not. */
function saySame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const mostMissing = one.size - (sameShare * (one.size + other.size)) / (1 + sameShare);
  let missing = 0;
  for (const word of one) if (!other.has(word) && ++missing > mostMissing) return false;
  return missing <= mostMissing;
}
