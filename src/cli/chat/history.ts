import { readFile, rename, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { makeFolder } from "../../base/make-folder.js";
import type { Io } from "../io.js";

// A history that cannot be read or written is no reason to end a chat.

/** Reads the lines that a person entered in earlier chats, the newest first. */
export async function readHistory(env: Io["env"]): Promise<string[]> {
  const path = historyPath(env);
  const text = path === undefined ? "" : await readFile(path, "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

/** Keeps the lines in a file that only the person can read. */
export async function writeHistory(lines: readonly string[], env: Io["env"]): Promise<void> {
  const path = historyPath(env);
  if (path === undefined) return;
  try {
    makeFolder(dirname(path));
    await writeFile(`${path}.${process.pid}`, lines.join("\n"), { mode: 0o600 });
    await rename(`${path}.${process.pid}`, path);
  } catch {}
}

/** Returns the path of a person's history; undefined without a home. */
function historyPath({ XDG_STATE_HOME, HOME, LOCALAPPDATA }: Io["env"]): string | undefined {
  const folders = [XDG_STATE_HOME, LOCALAPPDATA, HOME && join(HOME, ".local", "state")];
  // A path that is not absolute could lead into a folder from somebody else.
  const folder = folders.find((path) => path && isAbsolute(path));
  return folder ? join(folder, "glassloop", "history") : undefined;
}
