import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it("a test run ends at once, and says so, if a worker dies after its last test", async () => {
  const project = fileURLToPath(new URL("../..", import.meta.url));
  const program = "node_modules/vitest/vitest.mjs";
  const run = [program, "run", "--config", "test/helpers/fixtures/vitest.config.ts"];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, run, { cwd: project });
  expect(stdout).toContain("1 passed");
  expect(stderr).toBe("A worker of Vitest was ended by SIGKILL after its last test.\n");
});
