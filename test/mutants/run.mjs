// Changes the code of a folder or file in small ways and runs the tests for each change: which does no test notice?
//
//   npm run test:mutants -- src/core/state
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const project = fileURLToPath(new URL("../..", import.meta.url));
const [given, ...tests] = process.argv.slice(2);
if (given === undefined || !existsSync(given)) {
  console.error(
    "Give a folder or a file of src/, such as src/core/state, and after it, if you like, the test files to run.",
  );
  process.exit(2);
}

if (!existsSync(join(here, "node_modules/@stryker-mutator/core"))) {
  console.error("Installing Stryker (npm ci in test/mutants/) …");
  const { status } = spawnSync("npm", ["ci", "--ignore-scripts"], { cwd: here, stdio: "inherit", shell: true });
  if (status !== 0) process.exit(1);
}

const path = relative(project, resolve(given)).replaceAll("\\", "/");
const folder = mkdtempSync(join(tmpdir(), "glassloop-mutants-"));
const config = join(folder, "stryker.json");
const require = createRequire(import.meta.url);
writeFileSync(
  config,
  JSON.stringify({
    testRunner: "vitest",
    plugins: [require.resolve("@stryker-mutator/vitest-runner")],
    mutate: [statSync(given).isDirectory() ? `${path}/**/*.ts` : path],
    ...(tests.length > 0 ? { testFiles: tests } : {}),
    // Tests that start a process run the code of dist/, which is made of the changed sources, types aside.
    buildCommand: "npx tsc -p tsconfig.build.json --noCheck --declaration false && node bundle.mjs",
    reporters: ["clear-text", "progress-append-only"],
    clearTextReporter: { allowColor: true, reportTests: false },
    tempDirName: ".stryker-tmp",
    ignorePatterns: ["bench/node_modules", "studio/node_modules", "test/mutants", "test/versions"],
    allowEmpty: false,
    concurrency: 1,
    timeoutMS: 60_000,
    disableTypeChecks: false,
    vitest: { configFile: "vitest.config.ts" },
  }),
);
try {
  const stryker = join(here, "node_modules/@stryker-mutator/core/bin/stryker.js");
  const { status } = spawnSync(process.execPath, [stryker, "run", config], { cwd: project, stdio: "inherit" });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
