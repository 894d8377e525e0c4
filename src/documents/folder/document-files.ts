import type { Dirent } from "node:fs";
import { opendir, realpath, stat } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { setImmediate } from "node:timers/promises";
import { DocumentSearchError } from "../../base/errors.js";
import { readableEndings } from "../reading/document-formats.js";

const mostEntries = 1_000_000;
/** The number of files that are asked for their sizes and times at once. */
const statsAtOnce = 100;
/** The largest number of names that are sorted at once. */
const mostSorted = 5_000;

/** A file on the disk. `modified` and `size` tell whether it was changed. */
export interface DocumentFile {
  /** The path below the folder, with `/` between its parts on every system. */
  readonly path: string;
  /** The time of the last change, in milliseconds since 1970. */
  readonly modified: number;
  /** The size in bytes. */
  readonly size: number;
}

/**
 * Finds a folder and returns its real path, which is the same for all links to it.
 *
 * @throws {DocumentSearchError} if there is no such folder, or it is a file.
 */
export async function findFolder(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  if (!found) throw new DocumentSearchError(folder, `there is no folder "${folder}". Make it, or give another one.`);
  if (!found.isDirectory()) {
    throw new DocumentSearchError(folder, `"${folder}" is a file. Give the folder that holds the documents.`);
  }
  return realpath(folder);
}

/** The documents of a folder, and what else it holds. */
export interface Listing {
  readonly documents: readonly DocumentFile[];
  readonly others: OtherEntries;
}

/** What is in a folder, and is not searched. Hidden files and `node_modules` are not counted. */
export interface OtherEntries {
  /** The numbers of files of other kinds, by the endings of their names. */
  readonly kinds: ReadonlyMap<string, number>;
  readonly links: number;
  /** The folders that cannot be listed. */
  readonly closed: readonly string[];
  /** Whether there may be more documents than are listed. */
  readonly hasMore: boolean;
}

/** The limits of {@link listDocuments}, and who hears of what is found. */
export interface ListingOptions {
  /** The largest number of files, folders and links that are looked at; a million by default. */
  readonly mostEntries?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with the path below the folder of each folder, "" for itself, before it is looked through. */
  readonly onFolder?: ((path: string) => Promise<void>) | undefined;
  readonly onDocument?: (file: DocumentFile) => void;
}

/**
 * Lists the files that can be read in a folder and its subfolders, sorted by name in each folder. Links are not followed, because they
 * may lead out of the folder. Hidden files and `node_modules` are left out.
 *
 * @throws {DocumentSearchError} if the folder cannot be listed. The reason of the signal, if it stops the walk.
 */
export async function listDocuments(
  folder: string,
  { mostEntries: most = mostEntries, signal, onFolder, onDocument }: ListingOptions = {},
): Promise<Listing> {
  const walk = new FolderWalk(folder, most, signal, onFolder);
  await walk.list("").catch((error: unknown) => {
    signal?.throwIfAborted();
    const reason = `"${folder}" cannot be listed. Change its rights, or give another folder.`;
    throw new DocumentSearchError(folder, reason, { cause: error });
  });
  const documents: DocumentFile[] = [];
  for (let start = 0; start < walk.paths.length; start += statsAtOnce) {
    signal?.throwIfAborted();
    const paths = walk.paths.slice(start, start + statsAtOnce);
    const files = await Promise.all(paths.map((path) => describeFile(folder, path)));
    for (const file of files) {
      if (file === undefined) continue;
      documents.push(file);
      onDocument?.(file);
    }
  }
  return { documents, others: walk };
}

/** A document or a folder, as a walk finds it. */
interface Entry {
  readonly path: string;
  readonly isFolder: boolean;
}

/** A walk through a folder, one subfolder after the other. It ends at its limit, so that no folder is too large for it. */
class FolderWalk implements OtherEntries {
  readonly paths: string[] = [];
  readonly kinds = new Map<string, number>();
  readonly closed: string[] = [];
  links = 0;
  hasMore = false;
  #seen = 0;

  constructor(
    private readonly folder: string,
    private readonly most: number,
    private readonly signal: AbortSignal | undefined,
    private readonly onFolder: ListingOptions["onFolder"],
  ) {}

  async list(below: string): Promise<void> {
    await this.onFolder?.(below);
    for (const { path, isFolder } of await sorted(await this.#entries(below))) {
      if (isFolder) await this.#listBelow(path);
      else this.paths.push(path);
    }
  }

  /** Reads the documents and folders in a folder, and counts what else it holds. */
  async #entries(below: string): Promise<readonly Entry[]> {
    const entries: Entry[] = [];
    for await (const entry of await opendir(join(this.folder, below), { bufferSize: 256 })) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      this.signal?.throwIfAborted();
      this.hasMore ||= ++this.#seen > this.most;
      if (this.hasMore) break;
      const isFolder = entry.isDirectory();
      if (isFolder || this.#isDocument(entry)) entries.push({ path: join(below, entry.name), isFolder });
    }
    return entries;
  }

  async #listBelow(path: string): Promise<void> {
    try {
      await this.list(path);
    } catch {
      this.signal?.throwIfAborted();
      this.closed.push(path);
    }
  }

  /** Tells whether an entry is a document, and counts it if it is none. */
  #isDocument(entry: Dirent): boolean {
    const ending = extname(entry.name).toLowerCase();
    const isDocument = entry.isFile() && readableEndings.includes(ending);
    if (entry.isSymbolicLink()) this.links++;
    else if (!isDocument) this.kinds.set(ending, (this.kinds.get(ending) ?? 0) + 1);
    return isDocument;
  }
}

/** Sorts entries by name, in parts. Others may work between them: very many at once would stop the program for a while. */
async function sorted(entries: readonly Entry[]): Promise<readonly Entry[]> {
  const byName = (one: Entry, other: Entry) => (one.path < other.path ? -1 : 1);
  if (entries.length <= mostSorted) return entries.toSorted(byName);
  const half = entries.length >> 1;
  const first = await sorted(entries.slice(0, half));
  const second = await sorted(entries.slice(half));
  await setImmediate();
  // Sorted halves are only merged, which is quick.
  return [...first, ...second].sort(byName);
}

async function describeFile(folder: string, path: string): Promise<DocumentFile | undefined> {
  const found = await stat(join(folder, path)).catch(() => undefined);
  return found && { path: path.replaceAll(sep, "/"), modified: found.mtimeMs, size: found.size };
}
