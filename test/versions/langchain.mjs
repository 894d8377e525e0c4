import { spawnSync } from "node:child_process";
import { cpSync, existsSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { makeConsumer, project, versionsOf } from "./consumer.mjs";

/** The packages whose versions are told. */
export const shown = [
  "@langchain/core",
  "@langchain/langgraph",
  "@langchain/langgraph-checkpoint",
  "@modelcontextprotocol/sdk",
  "@opentelemetry/api",
  "langchain",
  "@langchain/anthropic",
];

/**
 * The tests of what LangGraph's and LangChain's packages could break: the graph and its doors, what nodes and tools get and
 * return, interrupts, streams, forks, the contract of a checkpointer, stored messages, the names of their insides, and the page
 * that compares our agent with that of the package `langchain`.
 */
const tests = [
  "test/graph",
  "test/core/nodes",
  "test/core/state",
  "test/langgraph",
  "test/agent/behaviours.test.ts",
  "test/agent/cancelled.test.ts",
  "test/agent/context.test.ts",
  "test/agent/events.test.ts",
  "test/agent/inner-events.test.ts",
  "test/agent/input.test.ts",
  "test/agent/message-stream.test.ts",
  "test/agent/middleware.test.ts",
  "test/agent/repair.test.ts",
  "test/threads/checkpoints",
  "test/threads/values",
  "test/graphs",
  "test/middleware/tracing/spans.test.ts",
  "test/turns/branch-ids.test.ts",
  "test/turns/go-back.test.ts",
  "test/turns/stream-turn.test.ts",
  "test/from-create-agent.test.ts",
];

/** Tries Glassloop with the versions of LangChain's packages that a lock file records. */
export function checkLangChain(name, folder) {
  const consumer = makeConsumer(name, "project", folder);
  const copy = makeCopy(folder, consumer);
  return {
    versions: versionsOf(name, shown),
    results: [
      ["types under nodenext", typeErrors(consumer, "tsconfig.nodenext.json")],
      ["types under bundler", typeErrors(consumer, "tsconfig.bundler.json")],
      ["CommonJS gives what ESM gives", differenceOfLoaders(consumer)],
      ["our own types", run(copy, "tsc", ["-p", "tsconfig.build.json"])],
      ["our own bundles", run(copy, "bundle", [])],
      ["what LangGraph and LangChain could break", run(copy, "vitest", ["run", ...tests])],
    ],
  };
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
