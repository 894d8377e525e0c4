import { createRequire } from "node:module";
import type { SqliteModule } from "@photostructure/sqlite";

/** Loads the driver of SQLite. It is native code: no bundle can hold it. */
export function loadDriver(): SqliteModule {
  return createRequire(import.meta.url)("@photostructure/sqlite");
}
