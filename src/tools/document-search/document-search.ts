import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { z } from "zod";
import { checkedOptions } from "../../base/options.js";
import type { SourcesArtifact } from "../../turn/source.js";
import {
  type DocumentFile,
  findFolder,
  isMarkdown,
  type Listing,
  listDocuments,
  readDocument,
  unreadable,
} from "./document-files.js";
import { DocumentIndex, type FoundPassage, type IndexedDocument } from "./document-index.js";
import { plainPath, tellNotSearched } from "./not-searched.js";
import { searchQuery } from "./search-words.js";

const indexIs = 'Give the path of a file, or ":memory:".';
const timeIs = "Give a whole number of milliseconds.";
const optionsSchema = z.strictObject({
  folder: z.string("Give the path of a folder.").min(1, "Give the path of a folder."),
  index: z.string(indexIs).min(1, indexIs).default(":memory:"),
  readingTimeMs: z.int(timeIs).min(0, timeIs).default(15_000),
  maxResults: z.int("Give a whole number.").min(1, "Give at least 1.").max(50, "Give at most 50.").default(4),
});

/** The options of {@link documentSearch}. */
export type DocumentSearchOptions = z.input<typeof optionsSchema>;

const schema = z.object({ query: z.string().describe("The words to look for, such as: fastest robot Rubik's cube.") });

/** The tool that {@link documentSearch} makes. */
export interface DocumentSearchTool extends StructuredToolInterface<typeof schema>, AsyncDisposable {
  /** Ends the connection to the index when no search is under way. A later search opens a new one. */
  close(): Promise<void>;
}

type Answer = [content: string, artifact: SourcesArtifact];

/**
 * Makes a tool named `document_search` that searches a folder of Markdown (.md, .markdown) and text (.txt) files. It
 * finds the passages that hold words of the query. The best passage is the first, by BM25 in SQLite's full-text index.
 * Words in headings count more.
 *
 * The index follows the folder. Each search first reads files that are new or changed (by time and size). It drops
 * files that are gone. Links, hidden files, files over 2 MB and files that are not a text are left out. So is what comes after
 * 10,000 files, or after 10,000 passages of a file. The result says so, but for hidden files and `node_modules`.
 *
 * Documents are cut and indexed in a thread of their own. A hostile document cannot stop the program.
 *
 * English words are found in all their forms. Chinese, Japanese and Korean are found by pairs of characters. Other
 * languages without spaces, such as Thai, are found only by whole runs of text.
 *
 * @param options `folder`: the folder of the documents. `index`: the path of a SQLite file for the index; ":memory:" by
 *   default. Only its owner can read the file, and several processes may share it. `maxResults`: the largest number of
 *   passages, 1 to 50; 4 by default. `readingTimeMs`: the time in a search for reading new and changed documents, in
 *   milliseconds; 15,000 by default. Documents after that are read by the next search, and 0 reads none.
 * @returns A LangChain tool. Its result shows each passage with its file and heading. The artifact of its tool message
 *   is a {@link SourcesArtifact}. Its index stays open until `close()`, or until the process ends.
 * @throws {InvalidOptionError} for an option that is not possible. The tool throws {@link DocumentSearchError} if the
 *   folder or the index cannot be used.
 * @example
 * const search = documentSearch({ folder: "docs", index: ".glassloop/documents.db" });
 * await search.invoke({ query: "checkpoint format" });
 */
export function documentSearch(options: DocumentSearchOptions): DocumentSearchTool {
  const {
    folder,
    index: indexPlace,
    maxResults,
    readingTimeMs,
  } = checkedOptions("documentSearch", optionsSchema, options);
  const { open, close } = connection(indexPlace);
  const search = tool(
    async ({ query }, config): Promise<Answer> => {
      const words = searchQuery(query);
      if (words === undefined) return [nothingToLookFor(query), { sources: [] }];
      const place = await findFolder(folder);
      const index = await open();
      const { documents, others, unread } = await refresh(index, place, readingTimeMs, config.signal);
      const found = await index.search(place, words, maxResults);
      const left = tellNotSearched({ documents: await index.documents(place), others, unread });
      if (found.length === 0) return [[nothingFound(query, documents.length), ...left].join(" "), { sources: [] }];
      return [[...found.map(showPassage), ...left].join("\n\n"), { sources: found.map(sourceOf) }];
    },
    {
      name: "document_search",
      description:
        "Searches the documents at hand and returns the passages that match best. The input is a few words to look for.",
      schema,
      responseFormat: "content_and_artifact",
      metadata: { untrusted: true },
    },
  );
  return Object.assign(search, { close, [Symbol.asyncDispose]: close });
}

/**
 * Keeps one connection for the life of a tool. It is opened at the first search. If that fails, or it was closed, the
 * next search opens it again.
 */
function connection(place: string): { open(): Promise<DocumentIndex>; close(): Promise<void> } {
  let opened: Promise<DocumentIndex> | undefined;
  return {
    open() {
      opened ??= DocumentIndex.open(place).catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
      return opened;
    },
    async close() {
      const closing = opened;
      opened = undefined;
      const index = await closing?.catch(() => undefined);
      await index?.close();
    },
  };
}

/** The result of {@link refresh}: what is in the folder, and what of it is not in the index. */
interface Refreshed extends Listing {
  readonly unread: number;
}

/**
 * Brings the index up to date with the folder, as far as there is time. Several processes may do this at the same time,
 * as they write the same rows.
 */
async function refresh(
  index: DocumentIndex,
  folder: string,
  readingTimeMs: number,
  signal: AbortSignal | undefined,
): Promise<Refreshed> {
  const start = performance.now();
  const known = new Map((await index.documents(folder)).map((document) => [document.path, document]));
  const { documents, others } = await listDocuments(folder);
  let unread = 0;
  for (const file of documents) {
    signal?.throwIfAborted();
    const before = known.get(file.path);
    known.delete(file.path);
    if (before && isUnchanged(file, before)) continue;
    if (performance.now() - start >= readingTimeMs) unread++;
    else await index.put({ folder, file, isMarkdown: isMarkdown(file.path), ...(await readDocument(folder, file)) });
  }
  for (const path of known.keys()) await index.remove(folder, path);
  return { documents, others, unread };
}

/**
 * Tells whether a file needs no reading. An unreadable file is read again, because time and size do not show its
 * rights.
 */
function isUnchanged(file: DocumentFile, before: IndexedDocument): boolean {
  return before.modified === file.modified && before.size === file.size && before.skipped !== unreadable;
}

function showPassage({ path, headings, text }: FoundPassage, position: number): string {
  const heading = headings.at(-1);
  return `[${position + 1}] ${plainPath(path)}${heading ? `, ${heading}` : ""}\n${text}`;
}

function sourceOf({ path, headings, text }: FoundPassage) {
  return { title: headings.at(-1) ?? path, address: path, passage: text };
}

function nothingToLookFor(query: string): string {
  return `There are no words to look for in ${JSON.stringify(query.slice(0, 100))}. Search for the names and things that the question is about.`;
}

function nothingFound(query: string, documents: number): string {
  if (documents === 0) return "There are no documents here: the folder has no Markdown or text files.";
  const all = documents === 1 ? "one document" : `${documents} documents`;
  return `No passage of the ${all} has any of the words of ${JSON.stringify(query.slice(0, 100))}. Search for other words.`;
}
