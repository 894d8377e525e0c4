import { embedPending } from "../embedding/embed-pending.js";
import type { EmbeddingModel } from "../embedding/embedding-model.js";
import { type DocumentFile, type Listing, type ListingOptions, listDocuments } from "../folder/document-files.js";
import { readFrontMatter } from "../folder/front-matter.js";
import type { DocumentIndex, IndexedDocument } from "../index/document-index.js";
import type { NewDocument } from "../index/document-rows.js";
import type { IndexWork } from "../index-progress.js";
import { type DocumentReader, unreadable } from "../reading/document-reader.js";

/** The number of characters, and of documents, that go into the index at a time. A kill loses no more than these. */
const batchCharacters = 1_000_000;
const batchDocuments = 200;

/** The folder to bring the index up to date with, and how. */
interface RefreshOptions extends IndexWork, Pick<ListingOptions, "watch"> {
  /** The real path of the folder, and its id in the index. */
  readonly folder: string;
  readonly id: number;
  readonly reader: DocumentReader;
  /** The model for the vectors; undefined for an index of words alone. */
  readonly model: EmbeddingModel | undefined;
  /** What an earlier look found, if nothing has changed since. The folder is not looked through then. */
  readonly unchanged?: Refreshed | undefined;
}

/** What is in the folder, and what of it there was no time for. */
export interface Refreshed extends Listing {
  /** The number of new and changed documents that were not read. */
  readonly unread: number;
  /** The number of passages that have no vector yet. */
  readonly unembedded: number;
  /** The paths of documents that are gone, and still in the index because it cannot be written. */
  readonly gone: readonly string[];
  /** Whether no document was new, changed or gone. */
  readonly isAsBefore: boolean;
  /** The milliseconds that it took to find out what is new. */
  readonly lookedMs: number;
}

/**
 * Brings an index up to date with a folder, as far as there is time and the index can be written. It goes on where an earlier
 * one was stopped. Several processes may do this at the same time: they write the same rows, and each text is embedded once.
 *
 * @throws {DocumentSearchError} if the folder, the index or the model cannot be used. The reason of the signal.
 */
export async function refresh(index: DocumentIndex, given: RefreshOptions): Promise<Refreshed> {
  const options = index.isReadOnly ? { ...given, hasTime: () => false } : given;
  const found = options.unchanged ?? (await lookThrough(index, options));
  const unembedded = await embed(index, options);
  if (!found.isAsBefore && found.unread + unembedded === 0 && !index.isReadOnly) await index.vectors.dropUnused();
  return { ...found, unembedded };
}

/** Finds and reads documents that are new or changed, and removes those that are gone. */
async function lookThrough(index: DocumentIndex, options: RefreshOptions): Promise<Omit<Refreshed, "unembedded">> {
  const start = performance.now();
  const { folder, id, signal, watch, onProgress } = options;
  const known = await index.documents(id);
  const changed: DocumentFile[] = [];
  let isRight = !index.isReadOnly || (await index.hasFolder(folder));
  const listing = await listDocuments(folder, {
    signal,
    watch,
    onDocument: (file) => {
      const before = known.get(file.path);
      isRight ||= before?.size === file.size;
      if (!isUnchanged(file, before, index.isReadOnly)) changed.push(file);
      known.delete(file.path);
    },
  });
  if (!isRight) throw index.readOnlyError(`does not have the folder "${folder}"`);
  const lookedMs = performance.now() - start;

  let read = 0;
  for await (const batch of batchesOf(changed, options)) {
    await index.put(batch);
    read += batch.length;
    onProgress?.({ step: "reading", done: read, total: changed.length });
  }
  const gone = [...known.keys()];
  if (!index.isReadOnly) await index.remove(id, gone);
  const isAsBefore = changed.length + known.size === 0 && !listing.others.hasMore;
  return { ...listing, unread: changed.length - read, gone: index.isReadOnly ? gone : [], isAsBefore, lookedMs };
}

/**
 * Tells whether a file needs no reading. An unreadable file is read again, because time and size do not show its
 * rights. The image of a container, where the index is read-only, keeps the times of its files in whole seconds.
 */
function isUnchanged(file: DocumentFile, before: IndexedDocument | undefined, isReadOnly: boolean): boolean {
  if (before?.size !== file.size || (before.skipped === unreadable && !isReadOnly)) return false;
  const [now, then] = [file, before].map(({ modified }) => (isReadOnly ? Math.floor(modified / 1_000) : modified));
  return now === then;
}

/** Reads files, and yields them as documents. Many small ones go into the index together, which is much faster. */
async function* batchesOf(
  files: readonly DocumentFile[],
  { folder, id, reader, signal, hasTime }: RefreshOptions,
): AsyncGenerator<readonly NewDocument[]> {
  let batch: NewDocument[] = [];
  let characters = 0;
  for (const file of files) {
    signal?.throwIfAborted();
    if (!hasTime()) break;
    const document = { folder: id, file, ...(await read(reader, folder, file, signal)) };
    batch.push(document);
    characters += document.text?.length ?? 0;
    if (characters < batchCharacters && batch.length < batchDocuments) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}

async function read(reader: DocumentReader, folder: string, file: DocumentFile, signal: AbortSignal | undefined) {
  const parsed = await reader.readFile(folder, file, signal);
  if (parsed.kind === "skipped") return { isMarkdown: false, skipped: parsed.why };
  const { kind, text, title = fileTitle(file.path) } = parsed;
  if (/\.(?:md|markdown|mdx)$/i.test(file.path)) return { isMarkdown: true, text, ...readFrontMatter(text) };
  return { isMarkdown: kind === "markdown", text, title };
}

/** The headings of a PDF and of a table are numbers, and no titles. */
function fileTitle(path: string): string | undefined {
  return /\.(?:pdf|csv|tsv)$/i.test(path) ? path.slice(path.lastIndexOf("/") + 1) : undefined;
}

/** Makes the vectors that are missing. Returns the number of passages that still have none. */
async function embed({ vectors, isReadOnly }: DocumentIndex, { id, model, ...run }: RefreshOptions): Promise<number> {
  if (model === undefined) return 0;
  return isReadOnly ? vectors.countPending(id) : embedPending(vectors, id, model, run);
}
