import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it("a test run waits for a worker that ends slowly, and does not kill it", async () => {
  const project = fileURLToPath(new URL("../..", import.meta.url));
  const run = ["node_modules/vitest/vitest.mjs", "run", "--config", "test/helpers/fixtures/vitest.config.ts"];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, run, { cwd: project });
  expect(stdout).toContain("1 passed");
  // Vitest waits a minute for a worker that was killed, and says so here.
  expect(stderr).toBe("");
});
