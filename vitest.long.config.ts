import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { matrixFiles } from "./test/matrix/files.js";
import { common } from "./vitest.config.js";

/** The tests that take longer than a person waits: kills, crashes, long runs. They often wait themselves, for a process or a clock. */
export default defineConfig({
  test: {
    ...common,
    include: ["{test,page/test}/**/*.long.test.ts", ...matrixFiles()],
    env: { TEST_MATRIX: "rest" },
    testTimeout: 600_000,
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
  },
});
