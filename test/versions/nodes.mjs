// Runs the short tests on other versions of Node.js, which come from npm.
//
//   node test/versions/nodes.mjs                 all short tests, on each version
//   node test/versions/nodes.mjs 24              on one of them
//   node test/versions/nodes.mjs 24 --part       only the tests of what Node.js itself could break
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { npm, project } from "./consumer.mjs";

const nodes = { 22: "22.23.3", 24: "24.21.0", 26: "26.10.0" };

/** The tests of what touches Node.js: sockets, streams, processes, signals, worker threads, files, native code. */
const part = [
  "test/base",
  "test/cli/program",
  "test/documents/folder",
  "test/documents/index",
  "test/documents/reading",
  "test/postgres",
  "test/sqlite",
  "test/tools/fetch-page",
  "test/tools/mcp",
  "test/tools/web",
  "test/agent/cancelled.test.ts",
  "test/agent/http.test.ts",
  "test/agent/kill-signal.test.ts",
  "test/threads/databases",
];

const { values, positionals } = parseArgs({ options: { part: { type: "boolean" } }, allowPositionals: true });
const names = positionals.length > 0 ? positionals : Object.keys(nodes);
for (const name of names) {
  if (!(name in nodes)) throw new Error(`Node.js ${name} is not tried. Give ${Object.keys(nodes).join(" or ")}.`);
}
process.exitCode = names.map(check).every((passed) => passed) ? 0 : 1;

function check(name) {
  const folder = mkdtempSync(join(tmpdir(), "glassloop-node-"));
  // Some tests run a program as another user, who has to read it.
  chmodSync(folder, 0o755);
  try {
    const node = install(nodes[name], folder);
    console.log(`\nNode.js ${nodes[name]}`);
    const tests = values.part ? part : [];
    const { status } = spawnSync(node, [join(project, "node_modules/vitest/vitest.mjs"), "run", ...tests], {
      cwd: project,
      stdio: "inherit",
      env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` },
    });
    return status === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Installs a version of Node.js. Returns the path of its program. */
function install(version, folder) {
  const system = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${system}-${process.arch}`;
  npm(folder, [
    "install",
    "--prefix",
    folder,
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    `${name}@${version}`,
  ]);
  const programs = ["bin/node", "bin/node.exe"].map((path) => join(folder, "node_modules", name, path));
  const found = programs.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`${name}@${version} has no program of Node.js.`);
  return found;
}
