import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const folder = fileURLToPath(new URL(".", import.meta.url));

it("no test is left out without a sentence in the output that says why", () => {
  const tests = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".test.ts") && !path.includes("node_modules"),
  );
  const silent = tests.flatMap((path) => {
    const text = readFileSync(`${folder}${path}`, "utf8");
    const left = text.match(/^.*(?:\.skip\(|\.skip\.|\.todo\(|\.skipIf\(|\.runIf\().*\n?.*$/gm) ?? [];
    const isSaid = (lines: string) => /needs\(|runIf\(has[A-Z]\w+\)/.test(lines);
    return left.filter((lines) => !isSaid(lines)).map((lines) => `${path}: ${lines.trim()}`);
  });
  expect(silent.filter((line) => !line.startsWith("left-out.test.ts"))).toEqual([]);
});
