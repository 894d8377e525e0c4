import { lstatSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { attempted } from "../../base/attempted.js";
import { InvalidOptionError, ThreadsDatabaseError } from "../../base/errors.js";
import type { Io } from "../io.js";
import { UsageError } from "./exit-codes.js";

export const defaultDatabase = "sqlite:.glassloop/threads.db";
export const defaultOpenAIModel = "openai:gpt-4o-mini";

/** What can name a database, beside an option. */
export type DatabaseIo = Pick<Io, "env" | "fileVariables">;

/**
 * Returns the database of the option, or else of the environment, or else the one in the working folder.
 *
 * @throws InvalidOptionError if its path is empty; ThreadsDatabaseError if its path is in a working folder that was deleted,
 *   or a link of that folder is in a path that no person named.
 */
export function databaseUrl(option: string | undefined, { env, fileVariables }: DatabaseIo): string {
  const { GLASSLOOP_DB } = env;
  const url = option ?? (GLASSLOOP_DB || defaultDatabase);
  if (/^sqlite:(?:\/\/)?$/i.test(url)) {
    throw new InvalidOptionError("url", `"${url}" has no path. Give the path of a file, such as "${defaultDatabase}".`);
  }
  const path = sqlitePath(url);
  if (path !== undefined && !isAbsolute(path)) checkWorkingFolder(url);
  const isNamed = option !== undefined || (url === GLASSLOOP_DB && !fileVariables?.has("GLASSLOOP_DB"));
  if (path !== undefined && !isNamed) checkFolders(url, path);
  return url;
}

/** Checks that the working folder exists. Node throws if it was deleted. */
function checkWorkingFolder(url: string): void {
  try {
    process.cwd();
  } catch (cause) {
    const reason = "the folder that this runs in was deleted. Go to another one, or give the path of a file in full.";
    throw new ThreadsDatabaseError(url, reason, { cause });
  }
}

/** Checks that no folder in the working folder is a link: it may have come with that folder, and lead to another one. */
function checkFolders(url: string, path: string): void {
  const parts = relative("", dirname(path)).split(sep);
  const folders = parts[0] === ".." ? [] : parts.map((_, index) => join(...parts.slice(0, index + 1)));
  const link = folders.find((folder) => attempted(() => lstatSync(folder))?.isSymbolicLink());
  if (link === undefined) return;
  const reason = `"${link}" is a link, which may have come with this folder. To follow it all the same, give --db ${url}.`;
  throw new ThreadsDatabaseError(url, reason);
}

/** Returns the path in the address of a SQLite file; undefined for any other address or an empty path. */
export function sqlitePath(url: string): string | undefined {
  return /^sqlite:(?:\/\/)?(.+)$/i.exec(url)?.[1];
}

/**
 * Returns the address of a database that came with a folder. The address gets no password but its own: PGPASSWORD and
 * ~/.pgpass are for the databases of the person.
 *
 * @throws UsageError if it names a file with a key.
 */
export function foreignDatabase(url: string, place = "GLASSLOOP_DB in .env"): string {
  if (!/^postgres(?:ql)?:/i.test(url) || !URL.canParse(url)) return url;
  const address = new URL(url);
  const { searchParams: options, password } = address;
  if (["sslcert", "sslkey", "sslrootcert"].some((name) => options.has(name))) {
    throw new UsageError(`${place}: an address there cannot name files for keys. Give the address with --db.`);
  }
  if (!(options.getAll("password").at(-1) || password)) options.set("require_auth", "none");
  return address.href;
}
