import { isUtf8 } from "node:buffer";
import { constants } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { DocumentSearchError } from "../../base/errors.js";

const markdownEndings = [".md", ".markdown"];
const endings = [...markdownEndings, ".txt"];
const largestFileBytes = 2_000_000;
const mostFiles = 10_000;

/** Why a file that cannot be opened is skipped. */
export const unreadable = "it cannot be read";

/** A file as the disk has it; `modified` and `size` tell whether it was changed since. */
export interface DocumentFile {
  /** Below the folder, with `/` between its parts on every system. */
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly modified: number;
  /** Bytes. */
  readonly size: number;
}

/** What reading a file gave: its text, or why it cannot be searched. */
export type DocumentText =
  | { readonly text: string; readonly skipped?: undefined }
  | { readonly text?: undefined; readonly skipped: string };

/**
 * The one path of a folder.
 *
 * @throws {DocumentSearchError} when there is none, or it is no folder.
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
 * The Markdown and text files of a folder and the folders in it, in the order of their paths, 10,000 at most. Links are
 * not followed (they may lead out of the folder); hidden files and `node_modules` are left out.
 *
 * @throws {DocumentSearchError} when the folder cannot be listed.
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

/** Whether a file's headings are to be looked for. */
export function isMarkdown(path: string): boolean {
  return markdownEndings.includes(extname(path).toLowerCase());
}

/** The text of a file of at most 2 MB, unless it is of another kind than its name says. Never throws. */
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

/** UTF-8, what Windows writes for "Unicode" (with its mark in front) and "ANSI"; undefined for bytes that are no text. */
function encodingOf(bytes: Buffer): string | undefined {
  if (bytes.length % 2 === 0 && bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes.includes(0)) return undefined;
  return isUtf8(bytes) ? "utf-8" : "windows-1252";
}
