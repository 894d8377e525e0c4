import { accessSync } from "node:fs";
import type { Threads } from "../../threads/open.js";
import type { Io } from "../io.js";
import { databaseUrl, sqlitePath } from "../program/addresses.js";

/**
 * Opens the threads that there are, for a command that adds none. Where the database's file was not made yet it is not made
 * now: there are no threads then.
 */
export async function openKeptThreads(option: string | undefined, env: Io["env"]): Promise<Threads> {
  const url = databaseUrl(option, env);
  const { openThreads } = await import("../../threads/open.js");
  return openThreads(isStillToMake(url) ? "memory:" : url);
}

/** Whether a database is a file that is not there. What is wrong with an address is left to {@link openThreads}. */
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
