import { chmod, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openInBrowser } from "../../../src/cli/serve/open-in-browser.js";
import { needs } from "../../helpers/needs.js";

const url = "http://127.0.0.1:2024";
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "glassloop-open-"));
  vi.stubEnv("PATH", `${folder}:/usr/bin:/bin`);
});
afterEach(() => vi.unstubAllEnvs());

/** Opens the address with a program in the place of xdg-open. Returns the sentences. */
async function openWith(program?: string): Promise<string[]> {
  if (program === undefined) vi.stubEnv("PATH", folder);
  else {
    await writeFile(join(folder, "xdg-open"), `#!/bin/sh\n${program}\n`);
    await chmod(join(folder, "xdg-open"), 0o755);
  }
  const told: string[] = [];
  openInBrowser(url, (problem) => void told.push(problem));
  return told;
}

const isLinux = process.platform === "linux";
describe.runIf(needs(isLinux, "Opening a browser is tried on Linux only."))("an address in the browser", () => {
  test("is given to the program for it as one word, and nothing waits for its end", async () => {
    const told = await openWith(`printf '%s|' "$@" > ${folder}/asked`);
    await expect.poll(() => readFile(`${folder}/asked`, "utf8").catch(() => "")).toBe(`${url}|`);
    expect(told).toEqual([]);
  });

  test.each([
    ["there is no such program", undefined, "(spawn xdg-open ENOENT)"],
    ["it finds no browser", "exit 3", "(xdg-open ended with 3)"],
  ])("is told if %s", async (_, program, why) => {
    const told = await openWith(program);
    await expect.poll(() => told).toEqual([`The browser could not be opened ${why}. Open ${url} yourself.`]);
  });
});
