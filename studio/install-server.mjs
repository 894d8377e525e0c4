import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const modules = join(here, "node_modules");
const name = "node_modules/@langchain/langgraph-cli";

/** Installs LangGraph's dev server, if it is not installed yet in the version of the lock file. */
export function installServer() {
  if (isInstalled()) return;
  console.error("Installing LangGraph's dev server (npm ci --ignore-scripts in studio/) …");
  // Two processes may do this at once. The packages are put in place in one go, by the first one to have them.
  const folder = mkdtempSync(join(here, ".install-"));
  const isDone = npmCi(folder) && putInPlace(join(folder, "node_modules"));
  rmSync(folder, { recursive: true });
  if (isDone) return;
  console.error("LangGraph's dev server could not be installed. This needs npm's registry, once. Then try again.");
  process.exit(1);
}

function npmCi(folder) {
  for (const file of ["package.json", "package-lock.json"]) cpSync(join(here, file), join(folder, file));
  const parameters = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
  const options = { cwd: folder, stdio: "inherit", shell: process.platform === "win32" };
  return spawnSync("npm", parameters, options).status === 0;
}

function putInPlace(installed) {
  if (!isInstalled()) rmSync(modules, { recursive: true, force: true });
  try {
    renameSync(installed, modules);
  } catch (error) {
    if (!isInstalled()) throw error;
  }
  return true;
}

function isInstalled() {
  const installed = join(modules, ".package-lock.json");
  return existsSync(installed) && versionIn(installed) === versionIn(join(here, "package-lock.json"));
}

function versionIn(lockFile) {
  return JSON.parse(readFileSync(lockFile, "utf8")).packages[name]?.version;
}
