import { inOneLine } from "../base/shorten.js";
import type { OtherEntries } from "./folder/document-files.js";
import type { DocumentIndex, SkippedFile } from "./index/document-index.js";
import type { Refreshed } from "./refresh/refresh.js";

/** What a search did not look at. */
export interface NotSearched {
  /** The first documents that were skipped, or of which a part was, with the reasons. */
  readonly skipped: readonly SkippedFile[];
  /** The number of all documents that were skipped. */
  readonly skippedCount: number;
  readonly others: OtherEntries;
  /** The number of new and changed documents that there was no time for. */
  readonly unread: number;
  /** The number of passages that there was no time to make vectors for. */
  readonly unembedded: number;
}

const mostNamed = 3;

/** Collects what is not in the index. */
export async function findNotSearched(
  index: DocumentIndex,
  folder: number,
  { others, unread, unembedded }: Refreshed,
  mostSkipped = mostNamed,
): Promise<NotSearched> {
  const skipped = await index.skipped(folder, mostSkipped);
  const skippedCount = skipped.length < mostSkipped ? skipped.length : await index.countSkipped(folder);
  return { skipped, skippedCount, others, unread, unembedded };
}

/**
 * Says in a sentence what was not searched; in none if all was.
 *
 * @param named The largest number of skipped documents that are named.
 */
export function tellNotSearched(
  { skipped, skippedCount, others, unread, unembedded }: NotSearched,
  named = mostNamed,
): readonly string[] {
  const kinds = [...others.kinds.values()].reduce((sum, count) => sum + count, 0);
  const noTime = "(there was no time; search again)";
  const parts = [
    ...skipped.slice(0, named).map(({ path, skipped }) => `${plainPath(path)} (${skipped})`),
    ...counted(skippedCount - Math.min(named, skipped.length), "more document"),
    ...counted(unread, "new or changed document").map((count) => `${count} ${noTime}`),
    ...counted(unembedded, "passage").map((count) => `${count} ${noTime}`),
    ...counted(kinds, "file").map((count) => `${count} of other kinds${endingsOf(others.kinds)}`),
    ...counted(others.links, "link"),
    ...others.closed.slice(0, mostNamed).map((path) => `the folder ${plainPath(path)} (it cannot be listed)`),
    ...counted(others.closed.length - mostNamed, "more folder"),
    ...(others.hasMore ? ["files after the first million"] : []),
  ];
  return parts.length === 0 ? [] : [`Not searched: ${parts.join(", ")}.`];
}

/** Writes a path on one line. A name may hold line breaks and signs that steer a terminal. */
export function plainPath(path: string): string {
  return inOneLine(path.replaceAll(/\p{C}/gu, " "));
}

function counted(count: number, noun: string): readonly string[] {
  return count <= 0 ? [] : [`${count} ${noun}${count === 1 ? "" : "s"}`];
}

function endingsOf(kinds: ReadonlyMap<string, number>): string {
  const endings = [...kinds.keys()]
    .filter((ending) => ending !== "")
    .map(plainPath)
    .sort();
  const more = endings.length > mostNamed ? " and others" : "";
  return endings.length === 0 ? "" : ` (${endings.slice(0, mostNamed).join(", ")}${more})`;
}
