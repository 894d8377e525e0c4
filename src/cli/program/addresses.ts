import { isAbsolute } from "node:path";
import { ThreadsDatabaseError } from "../../base/errors.js";
import type { Io } from "../io.js";
import { UsageError } from "./exit-codes.js";

export const defaultDatabase = "sqlite:.glassloop/threads.db";
export const defaultOpenAIModel = "openai:gpt-4o-mini";

/**
 * The database of an option, else of the environment, else the one in the working folder.
 *
 * @throws UsageError when its path is empty; ThreadsDatabaseError when it is in the working folder, and that was deleted.
 */
export function databaseUrl(option: string | undefined, { GLASSLOOP_DB }: Io["env"]): string {
  const url = option ?? (GLASSLOOP_DB || defaultDatabase);
  if (/^sqlite:(?:\/\/)?$/i.test(url)) {
    throw new UsageError(`--db: "${url}" has no path. Give the path of a file, such as "${defaultDatabase}".`);
  }
  const path = sqlitePath(url);
  if (path !== undefined && !isAbsolute(path)) checkWorkingFolder(url);
  return url;
}

/** Node throws where the folder that it runs in is gone. */
function checkWorkingFolder(url: string): void {
  try {
    process.cwd();
  } catch (cause) {
    const reason = "the folder that this runs in was deleted. Go to another one, or give the path of a file in full.";
    throw new ThreadsDatabaseError(url, reason, { cause });
  }
}

/** The model of an option, else of the environment; without either, OpenAI's where there is a key for it. */
export function modelName(option: string | undefined, { GLASSLOOP_MODEL, OPENAI_API_KEY }: Io["env"]): string {
  return option ?? (GLASSLOOP_MODEL || (OPENAI_API_KEY ? defaultOpenAIModel : "offline"));
}

/** The path in the address of a SQLite file; undefined in another address, and in one without a path. */
export function sqlitePath(url: string): string | undefined {
  return /^sqlite:(?:\/\/)?(.+)$/i.exec(url)?.[1];
}
