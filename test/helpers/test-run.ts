import { spawn } from "node:child_process";
import { chmod, mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startPostgres } from "./postgres.js";

const janitor = fileURLToPath(new URL("janitor.mjs", import.meta.url));

/**
 * Begins a test run. Makes a folder for temporary files. Starts a throwaway Postgres server, unless TEST_POSTGRES_URL
 * names one. Both are gone after the run, even if it is interrupted or killed.
 *
 * @returns A function that ends the run.
 */
export default async function beginTestRun(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), "glassloop-tests-"));
  // Some tests run a program as another user, who must be able to read the folder.
  await chmod(folder, 0o755);
  for (const variable of ["TMPDIR", "TEMP", "TMP"]) process.env[variable] = folder;
  // The janitor gets a session of its own, so that Ctrl-C does not reach it.
  const cleaner = spawn(process.execPath, [janitor, folder], { detached: true, stdio: ["pipe", "ignore", "inherit"] });
  cleaner.unref();
  const server = process.env.TEST_POSTGRES_URL ? undefined : await startPostgres();
  if (server) process.env.TEST_POSTGRES_URL = server.url;
  // Vitest calls this before its workers have ended. The janitor would kill them, and Vitest wait a minute for their answer: it
  // begins when this process has ended.
  return async () => server?.stop();
}
