import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { basename } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { SetupError } from "./errors.js";

/**
 * Finds the program of a worker thread. In our package, and in a bundle to which the bundler copied it, the program is beside
 * the module that starts it. Any other bundle takes the program of the installed package.
 *
 * @param beside Where it is in our package: `new URL("./x-worker.mjs", import.meta.url)`.
 * @throws {SetupError} "missing-worker" if it is in neither place.
 */
export function workerProgram(beside: URL): URL {
  if (existsSync(beside)) return beside;
  // Webpack makes an address for browsers of it: `/_next/static/media/x-worker.7f02edd2.mjs`.
  const file = basename(beside.pathname).replace(/\.\w+(?=\.mjs$)/, "");
  const bundle = beside.protocol === "file:" ? beside : new URL(import.meta.url);
  try {
    return pathToFileURL(createRequire(bundle).resolve(`glassloop/workers/${file}`));
  } catch (cause) {
    throw new SetupError("missing-worker", file, fileURLToPath(new URL(".", bundle)), { cause });
  }
}
