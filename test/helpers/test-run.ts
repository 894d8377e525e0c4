import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startPostgres } from "./postgres.js";

const janitor = fileURLToPath(new URL("janitor.mjs", import.meta.url));

/**
 * Before all tests: makes a folder for their temporary files, and starts a throwaway Postgres server for them, unless
 * TEST_POSTGRES_URL names one. After them both are gone, also when the run is interrupted or killed.
 */
export default async function beginTestRun(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), "glassloop-tests-"));
  // Some tests run a program as another user, who has to reach it.
  await chmod(folder, 0o755);
  for (const variable of ["TMPDIR", "TEMP", "TMP"]) process.env[variable] = folder;
  // In a session of its own, so that Ctrl-C does not reach it.
  const cleaner = spawn(process.execPath, [janitor, folder], { detached: true, stdio: ["pipe", "ignore", "inherit"] });
  const server = process.env.TEST_POSTGRES_URL ? undefined : await startPostgres();
  if (server) process.env.TEST_POSTGRES_URL = server.url;
  return async () => {
    await server?.stop();
    cleaner.stdin.end();
    await once(cleaner, "exit");
  };
}
