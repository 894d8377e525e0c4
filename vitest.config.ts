import { configDefaults, defineConfig } from "vitest/config";

/** What all our tests have in common, the long ones too. */
export const common = {
  // LangGraph's checkpointer validation suite calls describe, it and beforeAll as globals.
  globals: true,
  globalSetup: "test/helpers/test-run.ts",
  // A worker loads LangChain once, not for each of its files: that takes as long as most tests.
  isolate: false,
  // A server logs the errors of runs. They are shown for a test that failed.
  silent: "passed-only" as const,
  // Limits for what hangs, far above what anything takes on a busy machine. No test waits for them.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 100_000 } },
  // Vitest leaves a core free; on a machine with two that doubles the time.
  maxWorkers: "100%",
};

export default defineConfig({
  test: {
    ...common,
    include: ["test/**/*.test.ts", "page/test/**/*.test.{ts,tsx}"],
    exclude: [...configDefaults.exclude, "**/*.long.test.ts"],
  },
});
