import { inOneLine } from "../../base/shorten.js";
import type { OtherEntries } from "./document-files.js";
import type { IndexedDocument } from "./document-index.js";

/** What a search did not look at. */
export interface NotSearched {
  readonly documents: readonly IndexedDocument[];
  readonly others: OtherEntries;
  /** The number of new and changed documents that there was no time for. */
  readonly unread: number;
}

const mostNamed = 3;

/** Says in a sentence what was not searched; in none if all was. */
export function tellNotSearched({ documents, others, unread }: NotSearched): readonly string[] {
  const skipped = documents.filter((document) => document.skipped !== null);
  const kinds = [...others.kinds.values()].reduce((sum, count) => sum + count, 0);
  const parts = [
    ...skipped.slice(0, mostNamed).map(({ path, skipped }) => `${plainPath(path)} (${skipped})`),
    ...counted(skipped.length - mostNamed, "more document"),
    ...counted(unread, "new or changed document").map((count) => `${count} (there was no time; search again)`),
    ...counted(kinds, "file").map((count) => `${count} of other kinds${endingsOf(others.kinds)}`),
    ...counted(others.links, "link"),
    ...others.closed.slice(0, mostNamed).map((path) => `the folder ${plainPath(path)} (it cannot be listed)`),
    ...counted(others.closed.length - mostNamed, "more folder"),
    ...(others.hasMore ? ["files after the first 10,000"] : []),
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
