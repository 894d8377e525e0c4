import { expect, it } from "vitest";
import { vectorExtension } from "../../../src/documents/index/vector-table.js";

it("names the package that is missing for vectors", async () => {
  const load = async () => ({
    getLoadablePath(): string {
      throw new Error("Was the sqlite-vec-plan9-arm64 package installed?");
    },
  });
  await expect(vectorExtension(load)).rejects.toThrow(
    `vectors need the package sqlite-vec and its package for ${process.platform}-${process.arch}: ` +
      "Was the sqlite-vec-plan9-arm64 package installed?",
  );
});
