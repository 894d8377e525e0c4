// Packs what is built as dist/glassloop.tgz, which the checks of the package and the projects of test/versions use.
import { execFileSync } from "node:child_process";
import { renameSync } from "node:fs";
import { join } from "node:path";

const output = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", "dist"], {
  encoding: "utf8",
  shell: process.platform === "win32",
});
const [{ filename }] = JSON.parse(output);
renameSync(join("dist", filename), "dist/glassloop.tgz");
