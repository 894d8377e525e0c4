import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { ThreadsDatabaseError } from "../../base/errors.js";
import { makeFolder } from "../../base/make-folder.js";

/** The application id in the header of a SQLite file of Glassloop: "GLSP". */
export const APPLICATION_ID = 0x47_4c_53_50;

const MAGIC = "SQLite format 3\0";
const HEADER_BYTES = 100;
const APPLICATION_ID_AT = 68;

/**
 * Makes a file ready to be opened as a threads database. Makes its folder and the file if they do not exist. Only their
 * owner can read them. SQLite gives its -wal and -shm files the same rights. A file of another program is refused and
 * not changed.
 *
 * @throws ThreadsDatabaseError if the file or its folder cannot be written, or is something else.
 */
export function prepareSqliteFile(path: string): void {
  explain(path, () => makeFolder(dirname(path)));
  const found = explain(path, () => statSync(path, { throwIfNoEntry: false }));
  if (found !== undefined && !found.isFile()) {
    throw new ThreadsDatabaseError(path, `this is ${kindOf(found)}. Give the path of a file.`);
  }
  const file = explain(path, () => openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600));
  try {
    if (explain(path, () => fstatSync(file)).size === 0) explain(path, () => chmodSync(path, 0o600));
    else checkHeader(path, file);
  } finally {
    closeSync(file);
  }
  // SQLite writes its -wal and -shm files beside the database.
  explain(path, () => accessSync(dirname(path), constants.W_OK | constants.X_OK));
}

function kindOf(found: Stats): string {
  if (found.isDirectory()) return "a folder";
  if (found.isSocket()) return "a socket, not a file";
  if (found.isFIFO()) return "a pipe, not a file";
  return "a device, not a file";
}

function checkHeader(path: string, file: number): void {
  const header = Buffer.alloc(HEADER_BYTES);
  const bytes = explain(path, () => readSync(file, header, 0, HEADER_BYTES, 0));
  if (!MAGIC.startsWith(header.toString("latin1", 0, Math.min(bytes, MAGIC.length)))) {
    throw new ThreadsDatabaseError(path, "this file is not a SQLite database. Give the path of another file.");
  }
  if (bytes < HEADER_BYTES) throw truncated(path);
  if (header.readUInt32BE(APPLICATION_ID_AT) !== APPLICATION_ID) {
    throw new ThreadsDatabaseError(
      path,
      "this SQLite file belongs to another program; it was left as it is. Give the path of another file.",
    );
  }
}

/** Returns the error for a database file that is cut off or damaged. */
export function truncated(path: string, cause?: unknown): ThreadsDatabaseError {
  return new ThreadsDatabaseError(
    path,
    "this database is cut off or damaged; it was left as it is. Restore it from a backup, or give the path of another file.",
    { cause },
  );
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "you may not write this file or its folder. Change their rights, or give another path.",
  EPERM: "you may not write this file or its folder. Change their rights, or give another path.",
  EROFS: "this place is read-only. Give a path that can be written.",
  ENOTDIR: "a part of this path is a file, not a folder. Give another path.",
  EEXIST: "a part of this path is a file, not a folder. Give another path.",
  ENOENT: "its folder cannot be made. Give another path.",
  ENOSPC: "the disk is full. Make room, or give a path on another disk.",
  ENAMETOOLONG: "this path is too long. Give a shorter one.",
};

function explain<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const reason = reasons[code] ?? "this file cannot be opened. Give the path of another file.";
    throw new ThreadsDatabaseError(path, reason, { cause: error });
  }
}
