// Runs LangGraph's own tests of its graphs on our checkpointers. bench/README.md describes it.
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { startVitest } from "vitest/node";
import { report } from "./upstream/report.mjs";

const [checkout] = process.argv.slice(2);
if (checkout === undefined) {
  console.error("Give the path of a copy of langgraphjs: npm run bench:upstream -- PATH");
  process.exit(2);
}
const tests = join(resolve(checkout), "libs/langgraph-core/src/tests");
const here = fileURLToPath(new URL("upstream/", import.meta.url));

/** Finds packages for the sources of LangGraph where we have them: a copy from git has none. */
const ourPackages = {
  name: "our-packages",
  enforce: "pre",
  resolveId(source, importer) {
    const isBare = /^[@a-z]/.test(source) && !source.startsWith("node:");
    return isBare && importer?.startsWith(tests.slice(0, -"tests".length))
      ? this.resolve(source, join(here, "pregel.test.mjs"), { skipSelf: true })
      : undefined;
  },
};

const vitest = await startVitest(
  "test",
  [],
  {
    root: here,
    config: false,
    watch: false,
    globals: true,
    include: ["pregel.test.mjs"],
    setupFiles: [join(tests, "setup.node.ts"), join(tests, "matchers/setup.ts")],
    testTimeout: 30_000,
    reporters: [{}],
  },
  {
    tsconfig: join(here, "../../tsconfig.json"),
    plugins: [ourPackages],
    resolve: { alias: { "langgraph-tests": tests } },
    server: { fs: { strict: false } },
  },
);
process.exitCode = report(vitest.state.getTestModules());
await vitest.close();
