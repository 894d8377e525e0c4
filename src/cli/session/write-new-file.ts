import { writeFile } from "node:fs/promises";
import { codeOf, messageOf } from "../../base/message-of.js";
import { UsageError } from "../program/exit-codes.js";

/**
 * Writes a new file, which only its owner can read.
 *
 * @throws UsageError if there is a file with this name, or the file cannot be written.
 */
export async function writeNewFile(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    const reason = reasons[codeOf(error)] ?? messageOf(error);
    throw new UsageError(`The file "${path}" was not written: ${reason}.`, { cause: error });
  }
}

const reasons: Readonly<Record<string, string>> = {
  EEXIST: "it exists already. Give the name of a new file",
  ENOENT: "its folder does not exist",
};
