import { isUtf8 } from "node:buffer";
import { constants, type Dirent } from "node:fs";
import { open, opendir, realpath, stat } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { DocumentSearchError } from "../../base/errors.js";

const markdownEndings = [".md", ".markdown"];
const endings = [...markdownEndings, ".txt"];
const largestFileBytes = 2_000_000;
const mostDocuments = 10_000;

/** The reason to skip a file that cannot be opened. */
export const unreadable = "it cannot be read";

/** A file on the disk. `modified` and `size` tell whether it was changed. */
export interface DocumentFile {
  /** The path below the folder, with `/` between its parts on every system. */
  readonly path: string;
  /** The time of the last change, in milliseconds since 1970. */
  readonly modified: number;
  /** The size in bytes. */
  readonly size: number;
}

/** The result of reading a file: its text, or the reason why it cannot be searched. */
export type DocumentText =
  | { readonly text: string; readonly skipped?: undefined }
  | { readonly text?: undefined; readonly skipped: string };

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

/**
 * Lists the Markdown and text files in a folder and its subfolders, sorted by path. Links are not followed, because they
 * may lead out of the folder. Hidden files and `node_modules` are left out.
 *
 * @param most The largest number of documents; 10,000 by default. Ten times as many files are looked at.
 * @throws {DocumentSearchError} if the folder cannot be listed.
 */
export async function listDocuments(folder: string, most = mostDocuments): Promise<Listing> {
  const walk = new FolderWalk(folder, most);
  await walk.list("").catch((error: unknown) => {
    const reason = `"${folder}" cannot be listed. Change its rights, or give another folder.`;
    throw new DocumentSearchError(folder, reason, { cause: error });
  });
  const files = await Promise.all(walk.paths.sort().map((path) => describeFile(folder, path)));
  return { documents: files.filter((file) => file !== undefined), others: walk };
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
  ) {}

  async list(below: string): Promise<void> {
    for await (const entry of await opendir(join(this.folder, below), { bufferSize: 256 })) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      this.hasMore ||= this.paths.length === this.most || ++this.#seen > 10 * this.most;
      if (this.hasMore) return;
      const path = join(below, entry.name);
      if (entry.isDirectory()) await this.list(path).catch(() => this.closed.push(path));
      else this.#take(path, entry);
    }
  }

  #take(path: string, entry: Dirent): void {
    const ending = extname(path).toLowerCase();
    if (entry.isSymbolicLink()) this.links++;
    else if (entry.isFile() && endings.includes(ending)) this.paths.push(path);
    else this.kinds.set(ending, (this.kinds.get(ending) ?? 0) + 1);
  }
}

async function describeFile(folder: string, path: string): Promise<DocumentFile | undefined> {
  const found = await stat(join(folder, path)).catch(() => undefined);
  return found && { path: path.replaceAll(sep, "/"), modified: found.mtimeMs, size: found.size };
}

/** Tells whether a file may have Markdown headings. */
export function isMarkdown(path: string): boolean {
  return markdownEndings.includes(extname(path).toLowerCase());
}

/** Reads the text of a file of at most 2 MB. A file whose bytes are not a text is skipped. Never throws. */
export async function readDocument(folder: string, { path }: DocumentFile): Promise<DocumentText> {
  try {
    const file = await open(join(folder, path), onlyFiles);
    try {
      // The file may be another one by now, or a larger one.
      const found = await file.stat();
      if (!found.isFile()) return { skipped: unreadable };
      if (found.size > largestFileBytes) return { skipped: "it is larger than 2 MB" };
      const bytes = await file.readFile();
      const encoding = encodingOf(bytes);
      if (encoding === undefined) return { skipped: "it is not a text" };
      return { text: new TextDecoder(encoding).decode(bytes) };
    } finally {
      await file.close();
    }
  } catch {
    return { skipped: unreadable };
  }
}

/** A link is not opened, and a pipe is not waited for. */
const onlyFiles = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Finds the encoding of a text; undefined for bytes that are not a text. It knows UTF-8 and two encodings of Windows:
 * "Unicode", which has a mark in front, and "ANSI".
 */
function encodingOf(bytes: Buffer): string | undefined {
  if (bytes.length % 2 === 0 && bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes.includes(0)) return undefined;
  return isUtf8(bytes) ? "utf-8" : "windows-1252";
}
