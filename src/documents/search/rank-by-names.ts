import { searchableText } from "../index/indexed-words.js";
import type { FoundPassage } from "../index/passage-search.js";

/** The share of what the best other passage of its document matches that a passage gets. */
const shareOfOther = 0.3;

/**
 * Ranks passages that were found by words anew. What a passage matches counts the more, up to four times, the more the title of
 * its document, the name of its file and its heading are what is looked for, and nothing else. A second passage of the same
 * document that matches lifts it, too.
 */
export function rankByNames(passages: readonly FoundPassage[], words: readonly string[]): readonly FoundPassage[] {
  const asked = new Set(words);
  const likeness = new Map<string, number>();
  for (const name of passages.flatMap(namesOf)) {
    if (!likeness.has(name)) likeness.set(name, commonShare(asked, new Set(searchableText(name).split(" "))));
  }
  const best = new Map<number, readonly number[]>();
  const byNames = passages.map((passage) => {
    const matched = passage.matched * namesOf(passage).reduce((sum, name) => sum + (likeness.get(name) ?? 0), 1);
    const both = [...(best.get(passage.document) ?? []), matched].sort((one, other) => other - one).slice(0, 2);
    best.set(passage.document, both);
    return { ...passage, matched };
  });
  return byNames
    .map((passage) => {
      const [first = 0, second = 0] = best.get(passage.document) ?? [];
      const other = passage.matched === first ? second : first;
      return { ...passage, matched: passage.matched + shareOfOther * other };
    })
    .sort((one, other) => other.matched - one.matched);
}

/** A passage below the first heading, which is the title, counts no more than those below the next. */
function namesOf({ title, path, headings }: FoundPassage): readonly string[] {
  return [...new Set([title, nameOf(path), headings.at(-1) ?? ""])];
}

/** The name of a file without its folders and its ending. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.\w+$/, "");
}

/** Tells how much of two sets is in both, from 0 to 1 (Dice's coefficient). */
export function commonShare(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const common = [...one].filter((word) => other.has(word)).length;
  return (2 * common) / (one.size + other.size);
}
