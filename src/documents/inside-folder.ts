import { join, sep } from "node:path";

/** Tells whether a real path is that of a folder, or of something in it. */
export function isInside(folder: string, path: string): boolean {
  return join(path, sep).startsWith(join(folder, sep));
}
