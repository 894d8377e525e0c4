import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readSmallFile } from "../../src/base/read-small-file.js";
import { needs } from "../helpers/needs.js";

const folder = mkdtempSync(join(tmpdir(), "glassloop-small-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("a small file", () => {
  it("is read whole, empty or not, also through a link", () => {
    const file = join(folder, "file");
    for (const text of ["", `Grüße ${"x".repeat(100_000)}`]) {
      writeFileSync(file, text);
      expect(readSmallFile(file)).toBe(text);
    }
    symlinkSync(file, join(folder, "link"));
    expect(readSmallFile(join(folder, "link"))).toHaveLength(100_006);
  });

  it("is refused with 2 GB", () => {
    const file = join(folder, "large");
    writeFileSync(file, "");
    truncateSync(file, 2_000_000_000);
    expect(() => readSmallFile(file)).toThrow("this has more than 4 MB");
  });

  it("is read to its end if its size is unknown", { skip: process.platform !== "linux" }, () => {
    expect(readSmallFile("/proc/self/status")).toContain(`${process.pid}`);
  });

  it("is neither a folder nor missing", () => {
    expect(() => readSmallFile(folder)).toThrow("EISDIR");
    expect(() => readSmallFile(join(folder, "nothing"))).toThrow("ENOENT");
  });

  it.runIf(needs(process.platform !== "win32", "Named pipes are not tried: this is Windows."))(
    "is neither a pipe without a writer nor an endless device",
    () => {
      const pipe = join(folder, "pipe");
      execFileSync("mkfifo", [pipe]);
      expect(() => readSmallFile(pipe)).toThrow("this is a pipe, a socket or a device");
      symlinkSync("/dev/zero", join(folder, "zeros"));
      expect(() => readSmallFile(join(folder, "zeros"))).toThrow("this is a pipe, a socket or a device");
    },
  );
});
