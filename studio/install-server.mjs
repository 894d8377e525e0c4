import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const wanted = new URL("package-lock.json", import.meta.url);
const installed = new URL("node_modules/.package-lock.json", import.meta.url);
const name = "node_modules/@langchain/langgraph-cli";

/** Installs LangGraph's dev server, if it is not installed yet in the version of the lock file. */
export function installServer() {
  if (existsSync(installed) && versionIn(installed) === versionIn(wanted)) return;
  console.error("Installing LangGraph's dev server (npm ci --ignore-scripts in studio/) …");
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  const parameters = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
  const { status } = spawnSync("npm", parameters, { cwd, stdio: "inherit", shell: process.platform === "win32" });
  if (status === 0) return;
  console.error("LangGraph's dev server could not be installed. This needs npm's registry, once. Then try again.");
  process.exit(1);
}

function versionIn(lockFile) {
  return JSON.parse(readFileSync(lockFile, "utf8")).packages[name]?.version;
}
