import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

const MOST_MEGABYTES = 4;

/**
 * Reads a text file whose folder may come from somebody else. A link is followed, but a pipe is not waited for, and no
 * file is read without end.
 *
 * @throws An error that says why, for what is no file or too large. Errors of the system.
 */
export function readSmallFile(path: string): string {
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(descriptor);
    // The system's own error for a folder has a code.
    if (!found.isFile() && !found.isDirectory()) throw new Error("this is a pipe, a socket or a device");
    const bytes = Buffer.alloc(MOST_MEGABYTES * 1_000_000 + 1);
    let length = 0;
    // A file of the system, such as one in /proc, does not tell its size.
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(descriptor, bytes, { offset: length });
    }
    if (length === bytes.length) throw new Error(`this has more than ${MOST_MEGABYTES} MB`);
    return bytes.toString("utf8", 0, length);
  } finally {
    closeSync(descriptor);
  }
}
