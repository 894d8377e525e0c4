import { resolve } from "node:path";
import { InvalidOptionError, ThreadsDatabaseError } from "../../base/errors.js";
import type { TimeLimits } from "../../postgres/time-limits.js";
import type { Database } from "./database.js";

/**
 * Opens the database of an address. Each driver is loaded only if the URL needs it, because loading takes time.
 *
 * @throws InvalidOptionError, ThreadsDatabaseError
 */
export async function openDatabase(url: string, limits: TimeLimits): Promise<Database> {
  const colon = url.indexOf(":");
  const scheme = url.slice(0, Math.max(colon, 0)).toLowerCase();
  const rest = url.slice(colon + 1);
  switch (scheme) {
    case "memory": {
      if (rest !== "") throw new ThreadsDatabaseError(url, 'give "memory:" alone.');
      const { openSqlite } = await import("./sqlite.js");
      return openSqlite(":memory:");
    }
    case "sqlite": {
      const { openSqlite } = await import("./sqlite.js");
      return openSqlite(sqlitePath(url, rest));
    }
    case "postgres":
    case "postgresql": {
      const { openPostgres } = await import("./postgres.js");
      return openPostgres(url, limits);
    }
    default: {
      const place = scheme === "" ? "a place without a scheme" : `"${scheme}:"`;
      throw new InvalidOptionError("url", `Threads cannot be kept in ${place}. ${possible}`);
    }
  }
}

const possible =
  'Give "memory:", "sqlite:PATH" such as "sqlite:.glassloop/threads.db", or "postgres://USER:PASSWORD@HOST/DATABASE".';

/** Returns the path after `sqlite:`. The form `sqlite://PATH` is read, too. */
function sqlitePath(url: string, rest: string): string {
  const path = rest.startsWith("//") ? rest.slice(2) : rest;
  const problem = pathProblem(path);
  if (problem !== undefined) throw new ThreadsDatabaseError(url, problem);
  return resolve(path);
}

/** Tells why a path is probably a mistake; undefined if it is not. */
function pathProblem(path: string): string | undefined {
  if (path === "" || /[\\/]$/.test(path)) return 'give the path of a file, such as "sqlite:threads.db".';
  if (path === ":memory:") return 'give "memory:" for a database that is gone when it is closed.';
  if (/^~(?:[\\/]|$)/.test(path)) return 'only a shell knows what "~" is. Write the path of your home folder in full.';
  return undefined;
}
