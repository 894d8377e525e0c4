import { appendFile, chmod, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { parsedJson } from "../../base/attempted.js";
import { makeFolder } from "../../base/make-folder.js";
import type { Io } from "../io.js";

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
  const entry = parsedJson(line);
  return typeof entry === "string" ? [entry] : [];
}

/** Returns the path of a person's history; undefined without a home. */
export function historyPath({ XDG_STATE_HOME, HOME, LOCALAPPDATA }: Io["env"]): string | undefined {
  const folders = [XDG_STATE_HOME, LOCALAPPDATA, HOME && join(HOME, ".local", "state")];
  // A path that is not absolute could lead into a folder from somebody else.
  const folder = folders.find((path) => path && isAbsolute(path));
  return folder ? join(folder, "glassloop", "history") : undefined;
}
