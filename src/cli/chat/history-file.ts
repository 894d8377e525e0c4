import { appendFile, chmod, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "../../base/make-folder.js";

const mostEntries = 1_000;

/**
 * What a person entered in chats, in a file that only they can read: one JSON text in each line, the oldest first. Chats add
 * to its end, so that several can run. A history that cannot be read or written is no reason to end a chat.
 */
export class HistoryFile {
  /** @param path The path of the file; undefined for none. */
  constructor(private readonly path: string | undefined) {}

  /** Reads the entries, the newest first. A file that has grown to twice the entries is cut. */
  async read(): Promise<string[]> {
    if (this.path === undefined) return [];
    const lines = (await readFile(this.path, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
    const kept = lines.slice(-mostEntries);
    if (lines.length > 2 * mostEntries) await replace(this.path, `${kept.join("\n")}\n`).catch(() => {});
    return kept.flatMap(entryOf).reverse();
  }

  async add(entry: string): Promise<void> {
    if (this.path === undefined) return;
    await append(this.path, `${JSON.stringify(entry)}\n`).catch(() => {});
  }
}

async function append(path: string, text: string): Promise<void> {
  makeFolder(dirname(path));
  await appendFile(path, text, { mode: 0o600 });
  await chmod(path, 0o600);
}

async function replace(path: string, text: string): Promise<void> {
  const next = `${path}.${process.pid}`;
  await writeFile(next, text, { mode: 0o600 });
  await rename(next, path);
}

function entryOf(line: string): string[] {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === "string" ? [entry] : [];
  } catch {
    return [];
  }
}
