import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const here = fileURLToPath(new URL(".", import.meta.url));
export const project = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Makes a project that has Glassloop installed, as it is packed, beside the packages of a lock file.
 *
 * @param name The folder with the lock file.
 * @param program The folder with what the project does.
 */
export function makeConsumer(name, program, folder) {
  const consumer = join(folder, "consumer");
  cpSync(join(here, name), consumer, { recursive: true });
  cpSync(join(here, program), consumer, { recursive: true });
  npm(consumer, ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]);
  const installed = join(consumer, "node_modules/glassloop");
  mkdirSync(installed);
  execFileSync("tar", ["xzf", join(project, "dist/glassloop.tgz"), "-C", installed, "--strip-components=1"]);
  return consumer;
}

/** Names the versions of packages that a lock file records. */
export function versionsOf(name, packages) {
  const locked = lockedIn(join(here, name));
  return packages.map((name) => `${name} ${locked[name]}`).join(", ");
}

/** Reads the versions of a lock file, by the names of the packages. */
export function lockedIn(folder) {
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  return Object.fromEntries(
    Object.entries(packages).map(([path, { version }]) => [path.replace("node_modules/", ""), version]),
  );
}

export function npm(cwd, parameters) {
  const shell = process.platform === "win32";
  return execFileSync("npm", parameters, { cwd, encoding: "utf8", shell, stdio: ["ignore", "pipe", "ignore"] });
}
