import { readdirSync, readFileSync } from "node:fs";

/** The files of short tests with a matrix: of their cases the long tests run the rest. */
export function matrixFiles(): string[] {
  return readdirSync("test", { recursive: true, encoding: "utf8" })
    .map((file) => `test/${file.replaceAll("\\", "/")}`)
    .filter((file) => file.endsWith(".test.ts") && !file.endsWith(".long.test.ts") && !file.includes("node_modules"))
    .filter((file) => /\bmatrix\(/.test(readFileSync(file, "utf8")))
    .sort();
}
