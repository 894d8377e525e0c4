import { codeOf } from "../base/message-of.js";

/** An error of SQLite or of its driver. */
export class SqliteError extends Error {
  override readonly name = "SqliteError";

  /**
   * @param code SQLite's name of the error, such as `SQLITE_BUSY`. `MOVED` if the files are no longer those that were
   *   opened, `ENDED` if the connection has ended, `NO_FILE` if the place is no file,
   *   `LINKED` if the file has several names.
   */
  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** Makes an error of what the driver says. For queries it says no code, so the code is told by SQLite's words. */
  static of({ code, message }: { readonly code: string; readonly message: string }): SqliteError {
    return new SqliteError(code === "ERR_SQLITE_ERROR" ? (codes[message] ?? code) : code, message);
  }
}

const codes: Readonly<Record<string, string>> = {
  "database is locked": "SQLITE_BUSY",
  "database table is locked": "SQLITE_LOCKED",
  "database disk image is malformed": "SQLITE_CORRUPT",
  "file is not a database": "SQLITE_NOTADB",
  "database or disk is full": "SQLITE_FULL",
  "attempt to write a readonly database": "SQLITE_READONLY",
  "unable to open database file": "SQLITE_CANTOPEN",
  "disk I/O error": "SQLITE_IOERR",
};

const noRights = "you may not write this file or its folder. Change their rights, or give another path.";
const partIsFile = "a part of this path is a file, not a folder. Give another path.";
const locked = "another process has kept it locked. Close that process, or try again later.";

const reasons: Readonly<Record<string, string>> = {
  EACCES: noRights,
  EPERM: noRights,
  EROFS: "this place is read-only. Give a path that can be written.",
  ENOTDIR: partIsFile,
  EEXIST: partIsFile,
  ENOENT: "its folder cannot be made. Give another path.",
  ENOSPC: "the disk is full. Make room, or give a path on another disk.",
  ENAMETOOLONG: "this path is too long. Give a shorter one.",
  SQLITE_NOTADB:
    "this file is not a SQLite database, or it is damaged; it was left as it is. Give the path of another file.",
  SQLITE_BUSY: locked,
  SQLITE_LOCKED: locked,
  SQLITE_FULL: "the disk is full. What was saved before is safe; make room and try again.",
  SQLITE_READONLY: "it cannot be written. Change the rights of the file and its folder, or give another path.",
  SQLITE_CANTOPEN: "it cannot be opened. Check the rights of the file and its folder, or give another path.",
  SQLITE_IOERR: "the disk cannot be read or written. What was saved before is safe; check the disk and try again.",
  ERR_INVALID_ARG_VALUE: "no path has a NUL byte. Give a path without it.",
  LINKED:
    "this file has several names (hard links). Written under one of them, rows get lost under the others. Delete the other names, or copy the file to a path of its own.",
  ENDED: "it was closed. Open it again.",
  MOVED:
    "its files were deleted or replaced while they were open. What was saved before that may be in a backup; nothing was saved since. Open it again.",
};

/** Tells whether the database was found to be damaged. */
export function isDamaged(error: unknown): boolean {
  return codeOf(error) === "SQLITE_CORRUPT";
}

/**
 * Returns what is wrong with the database or its file, and what to do, as a sentence. Returns undefined if it is damaged,
 * or for an error that the program made.
 */
export function explainSqlite(error: unknown): string | undefined {
  const code = codeOf(error);
  if (!(error instanceof Error)) return undefined;
  if (code === "NO_FILE") return `${error.message}. Give the path of a file.`;
  return (
    reasons[code] ?? ("syscall" in error ? "this file cannot be opened. Give the path of another file." : undefined)
  );
}
