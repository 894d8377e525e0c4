import type { FoundPassage, PassageSearch, PassageText } from "../index/passage-search.js";

/** The largest number of characters that are shown of a section. A passage by itself has no more than 1,200. */
const longestSection = 2_000;
/** The number of passages before and after the found one that may be shown with it. */
const reach = 5;

/** A passage with what stands around it. */
export interface ShownSection {
  readonly passage: FoundPassage;
  readonly text: string;
}

/**
 * Widens passages to the sections that they stand in, up to 2,000 characters. Small passages are found well, and larger ones
 * are understood. A passage that another one already shows is left out.
 *
 * @param passages The passages, the best first.
 * @param most The largest number of sections.
 */
export async function shownSections(
  search: PassageSearch,
  passages: readonly FoundPassage[],
  most: number,
): Promise<readonly ShownSection[]> {
  const shown = new Set<number>();
  const sections: ShownSection[] = [];
  for (const passage of passages) {
    if (sections.length === most) break;
    if (shown.has(passage.id)) continue;
    const around = await search.around(passage, reach);
    const at = around.findIndex(({ id }) => id === passage.id);
    // A passage that was removed since it was found stands alone.
    const parts = at < 0 ? [passage] : widened(around, at, shown);
    for (const { id } of parts) shown.add(id);
    sections.push({ passage, text: parts.map(({ text }) => text).join("\n\n") });
  }
  return sections;
}

/** Takes a part with those after and before it, as far as there is room and they are not shown yet. */
function widened(parts: readonly PassageText[], middle: number, shown: ReadonlySet<number>): readonly PassageText[] {
  let room = longestSection - (parts[middle]?.text.length ?? 0);
  const fits = (part: PassageText | undefined): boolean => {
    room -= (part?.text.length ?? 0) + 2;
    return part !== undefined && room >= 0 && !shown.has(part.id);
  };
  let end = middle + 1;
  while (fits(parts[end])) end++;
  room = longestSection - parts.slice(middle, end).reduce((sum, { text }) => sum + text.length + 2, 0);
  let start = middle;
  while (fits(parts[start - 1])) start--;
  return parts.slice(start, end);
}
