import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // LangGraph's checkpointer validation suite calls describe, it and beforeAll as globals.
    globals: true,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Vitest leaves a core free; on a machine with two that doubles the time.
    maxWorkers: "100%",
  },
});
