import { defineConfig } from "vitest/config";
import { common } from "./vitest.config.js";

/** The tests that take longer than a person waits: kills, crashes, long runs. */
export default defineConfig({ test: { ...common, include: ["test/**/*.long.test.ts"], testTimeout: 600_000 } });
