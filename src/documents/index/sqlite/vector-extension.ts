import { DocumentSearchError } from "../../../base/errors.js";
import { messageOf } from "../../../base/message-of.js";

interface SqliteVec {
  getLoadablePath(): string;
}

/** Returns the path of sqlite-vec, which has a package of its own for each platform. Tests give a `load` of their own. */
export async function vectorExtension(load = (): Promise<SqliteVec> => import("sqlite-vec")): Promise<string> {
  try {
    const { getLoadablePath } = await load();
    return getLoadablePath();
  } catch (cause) {
    const platform = `${process.platform}-${process.arch}`;
    const reason = `vectors need the package sqlite-vec and its package for ${platform}: ${messageOf(cause)}`;
    throw new DocumentSearchError("sqlite-vec", reason, { cause });
  }
}
