import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/** Fills the disk of a folder to the last byte. Returns the function that makes room again. */
export function fillDisk(folder) {
  const ballast = join(folder, "ballast");
  const file = openSync(ballast, "w");
  for (const size of [1_000_000, 4_096, 1]) {
    const piece = Buffer.alloc(size);
    try {
      while (writeSync(file, piece) === size);
    } catch (error) {
      if (error.code !== "ENOSPC") throw error;
    }
  }
  closeSync(file);
  return () => rmSync(ballast);
}
