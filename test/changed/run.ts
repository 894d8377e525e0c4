// Runs the tests of the rooms that a change touches, the short ones and then the long ones.
//
//   npm run test:changed             what is not committed yet, or else the newest commit
//   npm run test:changed -- main     what has changed since a commit
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { testsOf } from "./tests-of.js";

const git = (...parameters: string[]) =>
  execFileSync("git", parameters, { encoding: "utf8", maxBuffer: 1e9 }).split("\n").filter(Boolean);

const untracked = git("ls-files", "--others", "--exclude-standard");
const since = (base: string) => [...git("diff", "--name-only", base), ...untracked];
const [base] = process.argv.slice(2);
const uncommitted = since(base ?? "HEAD");
const changed = base === undefined && uncommitted.length === 0 ? since("HEAD~1") : uncommitted;

const code = [...git("ls-files", "src", "test"), ...untracked].filter(
  (path) => /\.m?ts$/.test(path) && existsSync(path),
);
const texts = new Map(code.map((path) => [path, readFileSync(path, "utf8")]));
const tests = testsOf(changed, texts);
const all = code.filter((path) => path.endsWith(".test.ts")).length;
console.log(`${changed.length} changed files: ${tests.length} of ${all} test files. \`bash .ci/run\` runs all.`);

for (const [config, isLong] of [
  ["vitest.config.ts", false],
  ["vitest.long.config.ts", true],
] as const) {
  const files = tests.filter((path) => path.endsWith(".long.test.ts") === isLong);
  if (files.length === 0) continue;
  const { status } = spawnSync("npx", ["vitest", "run", "--config", config, ...files], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exit(1);
}
