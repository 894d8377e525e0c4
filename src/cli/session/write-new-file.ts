import { writeFile } from "node:fs/promises";
import { GlassloopError } from "../../base/errors.js";
import { codeOf, messageOf } from "../../base/message-of.js";
import { UsageError } from "../program/exit-codes.js";

/**
 * Writes a new file, which only its owner can read.
 *
 * @throws UsageError if there is a file with this name, or the file cannot be written.
 */
export async function writeNewFile(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: "wx", mode: 0o600 }).catch((error: unknown) => {
    throw notWritten(path, error);
  });
}

/** Explains an error that came while a new file was written. Errors of another kind stay as they are. */
function notWritten(path: string, error: unknown): unknown {
  if (error instanceof GlassloopError || codeOf(error) === "") return error;
  const reason = reasons[codeOf(error)] ?? messageOf(error);
  return new UsageError(`The file "${path}" was not written: ${reason}.`, { cause: error });
}

const reasons: Readonly<Record<string, string>> = {
  EEXIST: "it exists already. Give the name of a new file",
  ENOENT: "its folder does not exist",
};
