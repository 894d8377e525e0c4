import type { FoundPassage, PassageSearch, PassageText } from "../index/passage-search.js";

/** The largest number of characters that are shown of a section. A passage by itself has no more than 1,200. */
const longestSection = 2_000;
/** The number of passages before and after the found one that may be shown with it. */
const reach = 5;

/**
 * Widens passages to the sections that they stand in, up to 2,000 characters. Small passages are found well, and larger ones
 * are understood. A passage that another one already shows is left out.
 *
 * @param passages The passages, the best first.
 * @param most The largest number of sections.
 * @returns The passages, with the text of their sections.
 */
export async function shownSections(
  search: PassageSearch,
  passages: readonly FoundPassage[],
  most: number,
): Promise<readonly FoundPassage[]> {
  const shown = new Set<number>();
  const sections: FoundPassage[] = [];
  for (let next = 0; next < passages.length && sections.length < most; ) {
    const group = passages.slice(next, next + most - sections.length);
    next += group.length;
    const surroundings = await search.around(group, reach);
    for (const [number, passage] of group.entries()) {
      if (shown.has(passage.id)) continue;
      const parts = widened(passage, surroundings[number] ?? [], shown);
      for (const { id } of parts) shown.add(id);
      sections.push({ ...passage, text: parts.map(({ text }) => text).join("\n\n") });
    }
  }
  return sections;
}

/** Takes a passage with those after and before it, as far as there is room and they are not shown yet. */
function widened(
  passage: PassageText,
  around: readonly PassageText[],
  shown: ReadonlySet<number>,
): readonly PassageText[] {
  const middle = around.findIndex(({ id }) => id === passage.id);
  // It was removed since it was found.
  if (middle < 0) return [passage];
  let room = longestSection - passage.text.length;
  const fits = (part: PassageText | undefined): boolean => {
    const length = (part?.text.length ?? 0) + 2;
    if (part === undefined || shown.has(part.id) || length > room) return false;
    room -= length;
    return true;
  };
  let end = middle + 1;
  while (fits(around[end])) end++;
  let start = middle;
  while (fits(around[start - 1])) start--;
  return around.slice(start, end);
}
