import { describe, expect, it } from "vitest";
import { testsOf } from "./tests-of.js";

const texts = new Map([
  ["src/core/nodes/act.ts", 'import { open } from "../../threads/open.js";'],
  ["src/threads/open.ts", ""],
  ["test/core/nodes/act.test.ts", 'import { act } from "../../../src/core/nodes/act.js";'],
  ["test/core/nodes/deep/far.test.ts", ""],
  ["test/core/whole.test.ts", ""],
  ["test/agent/go.long.test.ts", 'import { world } from "./world.js";'],
  ["test/agent/world.ts", 'import { open } from "../../src/threads/open.js";'],
  ["test/page.test.ts", 'const page = read("docs/tools.md"); const all = list("graphs/");'],
  ["test/sqlite/mortal.test.ts", 'new URL("fixtures/mortal.mjs", import.meta.url)'],
]);

describe("the tests of a change", () => {
  it.each([
    [
      "a file that a test imports",
      "src/core/nodes/act.ts",
      ["test/core/nodes/act.test.ts", "test/core/nodes/deep/far.test.ts", "test/core/whole.test.ts"],
    ],
    ["a file beside one that a helper imports", "src/threads/new.ts", ["test/agent/go.long.test.ts"]],
    ["a helper", "test/agent/world.ts", ["test/agent/go.long.test.ts"]],
    ["a test", "test/page.test.ts", ["test/page.test.ts"]],
    ["a page", "docs/tools.md", ["test/page.test.ts"]],
    ["a file of a folder that a test reads", "graphs/agent.ts", ["test/page.test.ts"]],
    ["a program", "test/sqlite/fixtures/mortal.mjs", ["test/sqlite/mortal.test.ts"]],
    ["a room without tests", "src/ui/stream.ts", []],
  ])("of %s", (_, changed, tests) => {
    expect(testsOf([changed], texts)).toEqual(tests);
  });

  it("are all of them if it could change each of them", () => {
    expect(testsOf(["package-lock.json"], texts)).toHaveLength(6);
    expect(testsOf([".ci/run"], texts)).toHaveLength(6);
  });
});
