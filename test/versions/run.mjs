// Tries Glassloop with other versions of LangChain's packages: the lowest that package.json allows, and the newest.
//
//   node test/versions/run.mjs                 both, as their lock files record them
//   node test/versions/run.mjs lowest          one of them
//   node test/versions/run.mjs published       what npm has of them today, even above the range
//   node test/versions/run.mjs --refresh       writes the lock files anew, from package.json and the registry
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const here = fileURLToPath(new URL(".", import.meta.url));
const project = fileURLToPath(new URL("../..", import.meta.url));
const manifest = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
const locked = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8")).packages;

/** What a project may have beside Glassloop. */
const neighbours = { langchain: "^1.5.14", "@langchain/anthropic": "^1.5.11" };

/** The versions that a range begins with, that it ends with, and that npm has. */
const peers = {
  lowest: each((range) => /[\d.]+/.exec(range)[0]),
  newest: each((range) => range),
  published: each(() => "latest"),
};

function each(change) {
  return Object.fromEntries(Object.entries(manifest.peerDependencies).map(([name, range]) => [name, change(range)]));
}

/**
 * The tests of what LangGraph's and LangChain's packages could break: the graph and its doors, what nodes and tools get and
 * return, interrupts, streams, forks, the contract of a checkpointer, stored messages, and the names of their insides.
 */
const tests = [
  "test/langgraph",
  "test/core/graph",
  "test/core/nodes",
  "test/core/state",
  "test/agent/behaviours.test.ts",
  "test/agent/branch-ids.test.ts",
  "test/agent/cancelled.test.ts",
  "test/agent/context.test.ts",
  "test/agent/events.test.ts",
  "test/agent/go-back.test.ts",
  "test/agent/inner-events.test.ts",
  "test/agent/input.test.ts",
  "test/agent/message-stream.test.ts",
  "test/agent/repair.test.ts",
  "test/agent/stream-turn.test.ts",
  "test/threads/checkpoints",
  "test/threads/values",
  "test/graphs",
  "test/tracing/spans.test.ts",
];
for (const path of tests) if (!existsSync(join(project, path))) throw new Error(`There is no ${path}.`);

const { values, positionals } = parseArgs({ options: { refresh: { type: "boolean" } }, allowPositionals: true });
const names = positionals.length > 0 ? positionals : ["lowest", "newest"];
for (const name of names) {
  if (!(name in peers)) throw new Error(`There are no versions "${name}". Give ${Object.keys(peers).join(" or ")}.`);
}
if (values.refresh) for (const name of names) refresh(name);
else process.exitCode = names.map(check).every((passed) => passed) ? 0 : 1;

function refresh(name) {
  const { devDependencies, dependencies } = manifest;
  const own = Object.keys({ ...devDependencies, ...dependencies }).filter((dependency) => !(dependency in peers[name]));
  const exact = Object.fromEntries(own.map((dependency) => [dependency, locked[`node_modules/${dependency}`].version]));
  const dependenciesThere = { ...exact, ...neighbours, ...peers[name] };
  const sorted = Object.fromEntries(Object.entries(dependenciesThere).sort(([a], [b]) => (a < b ? -1 : 1)));
  const folder = join(here, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const content = { name: `glassloop-with-${name}`, private: true, type: "module", dependencies: sorted };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(content, null, 2)}\n`);
  npm(folder, ["install", "--package-lock-only", "--ignore-scripts", "--omit-lockfile-registry-resolved"]);
  console.log(`${name}: ${versionsOf(folder)}`);
}

/** The versions that a lock file records. */
function versionsOf(folder) {
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  const shown = [...Object.keys(manifest.peerDependencies), ...Object.keys(neighbours)];
  return shown.map((name) => `${name} ${packages[`node_modules/${name}`].version}`).join(", ");
}

function check(name) {
  const folder = mkdtempSync(join(tmpdir(), "glassloop-versions-"));
  // Some tests run a program as another user, who has to read it.
  chmodSync(folder, 0o755);
  try {
    if (name === "published") refresh(name);
    console.log(`\n${name}: ${versionsOf(join(here, name))}`);
    const consumer = makeConsumer(name, folder);
    const copy = makeCopy(folder, consumer);
    const results = [
      ["types under nodenext", typeErrors(consumer, "tsconfig.nodenext.json")],
      ["types under bundler", typeErrors(consumer, "tsconfig.bundler.json")],
      ["CommonJS gives what ESM gives", differenceOfLoaders(consumer)],
      ["our own types", run(copy, "tsc", ["-p", "tsconfig.build.json"])],
      ["our own bundles", run(copy, "bundle", [])],
      ["what LangGraph and LangChain could break", run(copy, "vitest", ["run", ...tests])],
    ];
    for (const [what, problem] of results)
      console.log(`  ${problem === "" ? "passed" : "FAILED"}  ${what}${problem && `\n${problem}`}`);
    return results.every(([, problem]) => problem === "");
  } finally {
    rmSync(folder, { recursive: true, force: true });
    if (name === "published") rmSync(join(here, name), { recursive: true, force: true });
  }
}

/** A project that has Glassloop installed, as it is packed, with the recorded versions. */
function makeConsumer(name, folder) {
  const consumer = join(folder, "consumer");
  cpSync(join(here, name), consumer, { recursive: true });
  cpSync(join(here, "project"), consumer, { recursive: true });
  npm(consumer, ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]);
  const [{ filename }] = JSON.parse(npm(project, ["pack", "--json", "--ignore-scripts", "--pack-destination", folder]));
  const installed = join(consumer, "node_modules/glassloop");
  mkdirSync(installed);
  execFileSync("tar", ["xzf", join(folder, filename), "-C", installed, "--strip-components=1"]);
  return consumer;
}

/** Our sources and tests, with the recorded versions. */
function makeCopy(folder, consumer) {
  const copy = join(folder, "copy");
  const parts = ["src", "test", "graphs", "knowledge", "bench", "docs", "package.json", "langgraph.json", "README.md"];
  const settings = ["tsconfig.json", "tsconfig.build.json", "vitest.config.ts", "bundle.mjs"];
  const wanted = (path) => !path.includes("node_modules");
  for (const part of [...parts, ...settings])
    cpSync(join(project, part), join(copy, part), { recursive: true, filter: wanted });
  symlinkSync(join(consumer, "node_modules"), join(copy, "node_modules"), "junction");
  return copy;
}

/** The errors that the compiler finds in the project's file and in our declarations. Those of other packages are theirs. */
function typeErrors(consumer, config) {
  const { stdout } = spawnSync(process.execPath, [join(consumer, "node_modules/typescript/bin/tsc"), "-p", config], {
    cwd: consumer,
    encoding: "utf8",
  });
  if (!existsSync(join(consumer, "out/types.d.ts"))) return `The compiler wrote nothing. ${stdout}`;
  rmSync(join(consumer, "out"), { recursive: true });
  const errors = stdout.split("\n").filter((line) => /^\S.*error TS/.test(line));
  return errors
    .filter((line) => !line.startsWith("node_modules/") || line.startsWith("node_modules/glassloop/"))
    .join("\n");
}

function differenceOfLoaders(consumer) {
  const [esm, commonjs] = ["esm.mjs", "commonjs.cjs"].map((program) =>
    spawnSync(process.execPath, [program], { cwd: consumer, encoding: "utf8" }),
  );
  if (esm.status !== 0) return `ESM: ${esm.stderr}`;
  if (commonjs.status !== 0) return `CommonJS: ${commonjs.stderr}`;
  return esm.stdout === commonjs.stdout ? "" : `ESM:\n${esm.stdout}\nCommonJS:\n${commonjs.stdout}`;
}

/** Runs a program of the copy's packages. Returns its output when it fails. */
function run(cwd, program, parameters) {
  const programs = {
    tsc: "node_modules/typescript/bin/tsc",
    vitest: "node_modules/vitest/vitest.mjs",
    bundle: "bundle.mjs",
  };
  const path = join(cwd, programs[program]);
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...parameters], {
    cwd,
    encoding: "utf8",
    maxBuffer: 1e9,
    env: { ...process.env, NO_COLOR: "1" },
  });
  return status === 0 ? "" : `${stdout}${stderr}`.split("\n").slice(-150).join("\n");
}

function npm(cwd, parameters) {
  const shell = process.platform === "win32";
  return execFileSync("npm", parameters, { cwd, encoding: "utf8", shell, stdio: ["ignore", "pipe", "ignore"] });
}
