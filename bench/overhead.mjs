// How much time an agent spends on itself: `npm run bench:overhead` in the project's folder, which builds `dist` first.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const bench = fileURLToPath(new URL(".", import.meta.url));

if (!existsSync(new URL("node_modules/", import.meta.url))) {
  console.error("Installing the peers that are measured (npm ci in bench/) …");
  const { status } = spawnSync("npm", ["ci"], { cwd: bench, stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) process.exit(1);
}

const { compareOverhead } = await import("./overhead/compare.mjs");
await compareOverhead();
