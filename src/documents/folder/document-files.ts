import type { Dirent, Stats } from "node:fs";
import { opendir, readlink, realpath, stat } from "node:fs/promises";
import { dirname, extname, join, relative, resolve, sep } from "node:path";
import { setImmediate } from "node:timers/promises";
import { DocumentSearchError } from "../../base/errors.js";
import { codeOf } from "../../base/message-of.js";
import { isInside } from "../inside-folder.js";
import { readableEndings } from "../reading/document-formats.js";
import type { FolderWatch } from "./folder-watch.js";

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
  /** The links that lead out of the folder, or nowhere. */
  readonly links: readonly string[];
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
  /** Is told of each folder before it is looked through, and ended by a link that may lead elsewhere without its notice. */
  readonly watch?: FolderWatch | undefined;
  readonly onDocument?: (file: DocumentFile) => void;
}

/**
 * Lists the files that can be read in a folder and its subfolders, sorted by name in each folder. Hidden files and `node_modules`
 * are left out, unless a link that is not leads to them. Links out of the folder are not followed. No file is listed twice.
 *
 * @throws {DocumentSearchError} if the folder cannot be listed. The reason of the signal, if it stops the walk.
 */
export async function listDocuments(folder: string, { onDocument, ...options }: ListingOptions = {}): Promise<Listing> {
  const { signal } = options;
  const walk = new FolderWalk(folder, options);
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
  const { kinds, links, closed, hasMore } = walk;
  return { documents, others: { kinds, links, closed, hasMore } };
}

/** A document or a folder, as a walk finds it. */
interface Entry {
  readonly path: string;
  readonly isFolder: boolean;
  /** Its real path, if a link leads to it or to a folder above it. */
  readonly target: string | undefined;
}

/** A walk through a folder, one subfolder after the other. It ends at its limit, so that no folder is too large for it. */
class FolderWalk {
  readonly paths: string[] = [];
  readonly kinds = new Map<string, number>();
  readonly links: string[] = [];
  readonly closed: string[] = [];
  hasMore = false;
  /** What was found by way of links. */
  readonly #targets = new Set<string>();
  #seen = 0;

  constructor(
    private readonly folder: string,
    private readonly options: ListingOptions,
  ) {}

  async list(below: string, target?: string): Promise<void> {
    await this.options.watch?.add(below);
    for (const entry of await sorted(await this.#entries(below, target))) {
      if (entry.target !== undefined && this.#targets.has(entry.target)) continue;
      if (entry.target !== undefined) this.#targets.add(entry.target);
      if (!entry.isFolder) this.paths.push(entry.path);
      else
        await this.list(entry.path, entry.target).catch(() => {
          this.options.signal?.throwIfAborted();
          this.closed.push(entry.path);
        });
    }
  }

  /** Reads the documents and folders in a folder, and counts what else it holds. */
  async #entries(below: string, target: string | undefined): Promise<readonly Entry[]> {
    const entries: (Entry | undefined)[] = [];
    for await (const found of await opendir(join(this.folder, below), { bufferSize: 256 })) {
      if (isLeftOut(found.name)) continue;
      this.options.signal?.throwIfAborted();
      this.hasMore ||= ++this.#seen > (this.options.mostEntries ?? mostEntries);
      if (this.hasMore) break;
      const path = join(below, found.name);
      const isLink = found.isSymbolicLink();
      entries.push(isLink ? await this.#follow(path) : this.#entry(path, found, target && join(target, found.name)));
    }
    return entries.filter((entry) => entry !== undefined);
  }

  /** Makes the entry of a document or a folder, and counts another file. */
  #entry(path: string, found: Dirent | Stats, target: string | undefined): Entry | undefined {
    const isFolder = found.isDirectory();
    if (isFolder || (found.isFile() && isReadable(path))) return { path, isFolder, target };
    const ending = endingOf(path);
    this.kinds.set(ending, (this.kinds.get(ending) ?? 0) + 1);
    return undefined;
  }

  /**
   * Finds what a link leads to, unless it leads out of the folder, or to what the walk finds by itself. It may lead to something
   * hidden: Kubernetes keeps the files of a volume in a hidden folder, which is another one after each change.
   */
  async #follow(path: string): Promise<Entry | undefined> {
    const link = join(this.folder, path);
    const [target, next] = await Promise.all([realpath(link), readlink(link)]).catch(() => ["", ""]);
    const isIn = isInside(this.folder, target);
    const isHidden = isIn && relative(this.folder, target).split(sep).some(isLeftOut);
    // Neither what is hidden is watched, nor what stands in the middle of the way.
    if (isHidden || resolve(dirname(link), next) !== target) this.options.watch?.close();
    const found = isIn ? await stat(target).catch(() => undefined) : undefined;
    if (found === undefined) {
      this.links.push(path);
      return undefined;
    }
    const isFoundAnyway = !isHidden && (found.isDirectory() || isReadable(target) || !isReadable(path));
    return isFoundAnyway ? undefined : this.#entry(path, found, target);
  }
}

function isLeftOut(name: string): boolean {
  return name.startsWith(".") || name === "node_modules";
}

function endingOf(path: string): string {
  return extname(path).toLowerCase();
}

function isReadable(path: string): boolean {
  return readableEndings.includes(endingOf(path));
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
  const found = await stat(join(folder, path)).catch((error: unknown) =>
    // If the file is there, its folder lets nobody see more. Reading it tells why.
    codeOf(error) === "ENOENT" ? undefined : { mtimeMs: 0, size: 0 },
  );
  return found && { path: path.replaceAll(sep, "/"), modified: found.mtimeMs, size: found.size };
}
