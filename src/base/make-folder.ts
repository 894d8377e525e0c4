import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * Makes a folder that only its owner can read, and the missing folders above it. Node's own recursive `mkdirSync` never
 * returns in places such as /proc.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
    // The folder of Glassloop has conversations. They do not belong into a repository.
    if (basename(path) === ".glassloop") writeFileSync(join(path, ".gitignore"), "*\n");
  } catch (error) {
    // Another process may have been quicker.
    if (!existsSync(path)) throw error;
  }
}
