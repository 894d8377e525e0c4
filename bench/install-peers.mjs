import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Installs what the benches compare Glassloop with, where that was not done yet. */
export function installPeers() {
  if (existsSync(new URL("node_modules/@langchain/langgraph-checkpoint-sqlite/", import.meta.url))) return;
  console.error("Installing the peers that are measured (npm ci in bench/; one of them is compiled) …");
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  const { status } = spawnSync("npm", ["ci"], { cwd, stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) process.exit(1);
}
