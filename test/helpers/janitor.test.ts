import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { needs } from "./needs.js";

const janitor = fileURLToPath(new URL("janitor.mjs", import.meta.url));

/** A test run with a janitor and a process of its own. It prints the id of that process and then waits for ever. */
const run = `
  import { spawn } from "node:child_process";
  const [janitor, folder] = process.argv.slice(1);
  spawn(process.execPath, [janitor, folder], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  const env = { ...process.env, TMPDIR: folder };
  const left = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { env, detached: true, stdio: "ignore" });
  console.log(left.pid);
  console.error("ready");
  setInterval(() => {}, 1000);
`;

const hasLinux = needs(process.platform === "linux", "A killed test run is not tried: this is not Linux.");

it.runIf(hasLinux)("leaves no process and no folder of a run that was killed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "glassloop-janitor-"));
  writeFileSync(join(folder, "left.db"), "");
  const child = spawn(process.execPath, ["--input-type=module", "-e", run, janitor, folder]);
  child.stderr.once("data", () => child.kill("SIGKILL"));
  const left = Number(await text(child.stdout));
  expect(left).toBeGreaterThan(0);
  await expect.poll(() => isAtWork(left)).toBe(false);
  await expect.poll(() => existsSync(folder)).toBe(false);
});

/**
 * Tells whether a process is at work. A killed process stays in the list until its parent has asked for its exit code.
 */
function isAtWork(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
