import { accessSync } from "node:fs";
import type { Threads } from "../../threads/open.js";
import type { Io } from "../io.js";
import { databaseUrl, sqlitePath } from "../program/addresses.js";

/**
 * Opens the threads for a command that adds none. If the database's file does not exist, it is not made. There are no
 * threads then.
 */
export async function openKeptThreads(option: string | undefined, env: Io["env"]): Promise<Threads> {
  const url = databaseUrl(option, env);
  const { openThreads } = await import("../../threads/open.js");
  return openThreads(isStillToMake(url) ? "memory:" : url);
}

/** Tells whether a database is a file that does not exist. Mistakes in the address are left to {@link openThreads}. */
export function isStillToMake(url: string): boolean {
  const path = sqlitePath(url);
  if (path === undefined || path === ":memory:" || /^~(?:[\\/]|$)|[\\/]$/.test(path)) return false;
  try {
    accessSync(path);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT";
  }
}
