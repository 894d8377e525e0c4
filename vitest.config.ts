import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // LangGraph's checkpointer validation suite calls describe, it and beforeAll as globals.
    globals: true,
    globalSetup: "test/helpers/shared-postgres.ts",
    // A worker loads LangChain once, not for each of its files: that takes as long as most tests.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Vitest leaves a core free; on a machine with two that doubles the time.
    maxWorkers: "100%",
  },
});
