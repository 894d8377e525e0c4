import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { workerProgram } from "../../src/base/worker-program.js";

describe("the program of a worker", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "glassloop-worker-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("is the file beside the module that starts it", () => {
    const beside = pathToFileURL(join(folder, "sqlite-worker.mjs"));
    writeFileSync(beside, "");
    expect(workerProgram(beside)).toEqual(beside);
  });

  it.each([
    ["there is none beside the module", "bundle/sqlite-worker.mjs"],
    ["a bundler made a browser URL of the path", "https://a.example/_next/static/media/sqlite-worker.7f02edd2.mjs"],
  ])("is the installed package's file if %s", (_, address) => {
    const found = workerProgram(new URL(address, import.meta.url));
    expect(fileURLToPath(found)).toMatch(/dist[\\/].*sqlite-worker\.mjs$/);
  });

  it("that is missing is an error with the file and the folder to copy it to", () => {
    const beside = pathToFileURL(join(folder, "sqlite-worker.mjs"));
    expect(() => workerProgram(beside)).toThrow(
      expect.objectContaining({
        code: "missing-worker",
        message: expect.stringContaining(`sqlite-worker.mjs in ${folder}`),
      }),
    );
  });
});
