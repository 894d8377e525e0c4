import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const installed = ["pg-boss", "minisearch"].map((name) => new URL(`node_modules/${name}/`, import.meta.url));
const compiled = new URL("node_modules/better-sqlite3/build/Release/better_sqlite3.node", import.meta.url);

/**
 * Installs the packages that the benches compare Glassloop with, if they are not installed yet.
 *
 * @param options.withSaver True to install LangGraph's SQLite saver, too; false by default. Its driver may have to be
 *   compiled.
 */
export function installPeers({ withSaver = false } = {}) {
  if ((withSaver ? [compiled] : installed).every((place) => existsSync(place))) return;
  const args = withSaver ? ["ci"] : ["ci", "--ignore-scripts"];
  const note = withSaver ? "; one of them may be compiled" : "";
  console.error(`Installing the peers that are measured (npm ${args.join(" ")} in bench/${note}) …`);
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  const { status } = spawnSync("npm", args, { cwd, stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) process.exit(1);
}
