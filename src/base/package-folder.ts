import { createRequire } from "node:module";
import { dirname } from "node:path";

/** Finds the folder of our own package, from its sources and from its bundle. */
export function packageFolder(): string {
  return dirname(createRequire(import.meta.url).resolve("glassloop/package.json"));
}
