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
  /** Whether the index cannot be written. What is new is not searched then. */
  readonly isReadOnly: boolean;
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
  const skippedCount = await index.countSkipped(folder);
  return { skipped, skippedCount, others, unread, unembedded, isReadOnly: index.isReadOnly };
}

/**
 * Says in a sentence what was not searched; in none if all was.
 *
 * @param named The largest number of skipped documents that are named.
 */
export function tellNotSearched(
  { skipped, skippedCount, others, unread, unembedded, isReadOnly }: NotSearched,
  named = mostNamed,
): readonly string[] {
  const why = isReadOnly ? "(the index cannot be written)" : "(there was no time; search again)";
  const parts = [
    ...skipped.slice(0, named).map(({ path, skipped }) => `${plainPath(path)} (${skipped})`),
    ...counted(skippedCount - Math.min(named, skipped.length), "more document"),
    ...counted(unread, "new or changed document").map((count) => `${count} ${why}`),
    ...counted(unembedded, "passage").map((count) => `${count} ${why}`),
    ...tellKinds(others.kinds),
    ...counted(others.links.length, "link").map(
      (count) => `${count} out of the folder or to nowhere${listed(others.links)}`,
    ),
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

/** The programs and libraries that make text of files which are not read, with the endings of their names. */
const textMakers = Object.entries({
  officeparser: [".pptx", ".xlsx", ".odt", ".odp", ".ods", ".odg", ".rtf", ".epub"],
  LibreOffice: [".doc", ".ppt", ".xls"],
  pandoc: [".rst", ".adoc", ".asciidoc", ".org", ".tex", ".wiki"],
  "tesseract.js": [".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff"],
  Whisper: [".mp3", ".m4a", ".wav", ".ogg", ".mp4", ".webm"],
});

function tellKinds(kinds: OtherEntries["kinds"]): readonly string[] {
  const others = new Map(kinds);
  const told = textMakers.flatMap(([maker, endings]) => {
    const found = endings.filter((ending) => others.has(ending));
    const count = found.reduce((sum, ending) => sum + (others.get(ending) ?? 0), 0);
    for (const ending of found) others.delete(ending);
    return counted(count, "file").map((files) => `${files} that ${maker} can turn into text${listed(found)}`);
  });
  const count = [...others.values()].reduce((sum, one) => sum + one, 0);
  return [...told, ...counted(count, "file").map((files) => `${files} of other kinds${listed(others.keys())}`)];
}

/** Names the first ones, in brackets. */
function listed(names: Iterable<string>): string {
  const sorted = [...names].filter((name) => name !== "").sort();
  const more = sorted.length > mostNamed ? " and others" : "";
  return sorted.length === 0 ? "" : ` (${sorted.slice(0, mostNamed).map(plainPath).join(", ")}${more})`;
}
