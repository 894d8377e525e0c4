import { accessSync, chmodSync, closeSync, constants, openSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "../base/make-folder.js";
import { SqliteError } from "./sqlite-error.js";

/**
 * Makes a file ready to be opened as a database. Makes its folder and the file if they do not exist. Only their owner
 * can read them. SQLite gives its -wal and -shm files the same rights.
 *
 * An existing file is never opened here. When a process closes a file, it loses all its locks on that file. Those of
 * SQLite go, too.
 *
 * @throws SqliteError if this is no file. An error of the system if the file or its folder cannot be written.
 */
export function prepareSqliteFile(path: string): void {
  makeFolder(dirname(path));
  const found = statSync(path, { throwIfNoEntry: false }) ?? makeFile(path);
  if (!found.isFile()) throw new SqliteError("NO_FILE", `this is ${kindOf(found)}`);
  if (found.size === 0) chmodSync(path, 0o600);
  accessSync(path, constants.R_OK | constants.W_OK);
  // SQLite writes its -wal and -shm files beside the database.
  accessSync(dirname(path), constants.W_OK | constants.X_OK);
}

/** Makes an empty file. If another process is faster, its file is used. */
function makeFile(path: string): Stats {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600));
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false }) === undefined) throw error;
  }
  return statSync(path);
}

function kindOf(found: Stats): string {
  if (found.isDirectory()) return "a folder";
  if (found.isSocket()) return "a socket, not a file";
  if (found.isFIFO()) return "a pipe, not a file";
  return "a device, not a file";
}
