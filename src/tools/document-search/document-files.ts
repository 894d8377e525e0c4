import { isUtf8 } from "node:buffer";
import { constants } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { DocumentSearchError } from "../../base/errors.js";

const markdownEndings = [".md", ".markdown"];
const endings = [...markdownEndings, ".txt"];
const largestFileBytes = 2_000_000;
const mostFiles = 10_000;

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

/**
 * Lists the Markdown and text files in a folder and its subfolders, sorted by path, 10,000 at most. Links are not
 * followed, because they may lead out of the folder. Hidden files and `node_modules` are left out.
 *
 * @throws {DocumentSearchError} if the folder cannot be listed.
 */
export async function listDocuments(folder: string): Promise<readonly DocumentFile[]> {
  const paths = await listPaths(folder, "").catch((error: unknown) => {
    const reason = `"${folder}" cannot be listed. Change its rights, or give another folder.`;
    throw new DocumentSearchError(folder, reason, { cause: error });
  });
  const files = await Promise.all(paths.slice(0, mostFiles).map((path) => describeFile(folder, path)));
  return files.filter((file) => file !== undefined);
}

async function listPaths(folder: string, below: string): Promise<readonly string[]> {
  const entries = await readdir(join(folder, below), { withFileTypes: true });
  const shown = entries.filter(({ name }) => !name.startsWith(".") && name !== "node_modules");
  const paths = shown.map(async (entry) => {
    const path = join(below, entry.name);
    if (entry.isDirectory()) return listPaths(folder, path).catch(() => []);
    return entry.isFile() && endings.includes(extname(path).toLowerCase()) ? [path] : [];
  });
  return (await Promise.all(paths)).flat().sort();
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
export async function readDocument(folder: string, { path, size }: DocumentFile): Promise<DocumentText> {
  if (size > largestFileBytes) return { skipped: "it is larger than 2 MB" };
  try {
    const file = await open(join(folder, path), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
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

/**
 * Finds the encoding of a text; undefined for bytes that are not a text. It knows UTF-8 and two encodings of Windows:
 * "Unicode", which has a mark in front, and "ANSI".
 */
function encodingOf(bytes: Buffer): string | undefined {
  if (bytes.length % 2 === 0 && bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes.includes(0)) return undefined;
  return isUtf8(bytes) ? "utf-8" : "windows-1252";
}
