import { expect, test } from "vitest";
import { type CutValue, type Part, pathOfRest, placeBelow, withPart } from "../../src/client/parts.js";

/** Puts parts in the place of the first cut, one after the other. */
const joined = (whole: CutValue, ...parts: readonly Part[]) =>
  parts.reduce((value, part) => {
    const [at] = value.cut;
    if (at === undefined) throw new Error("Nothing is cut.");
    return withPart(value, at, part);
  }, whole);

test.each<readonly [string, CutValue, readonly Part[], CutValue]>([
  [
    "a text in two parts",
    { value: "ab", cut: [{ path: [], length: 5, link: "?1" }] },
    [{ part: "cd", cut: [{ path: [], length: 5, link: "?2" }] }, { part: "e" }],
    { value: "abcde", cut: [] },
  ],
  [
    "a text in a field of an item",
    { value: [{ text: "a" }, { text: "b" }], cut: [{ path: [1, "text"], length: 2 }] },
    [{ part: "c" }],
    { value: [{ text: "a" }, { text: "bc" }], cut: [] },
  ],
  [
    "a list",
    { value: { list: [1] }, cut: [{ path: ["list"], length: 3 }] },
    [{ part: [2, 3] }],
    { value: { list: [1, 2, 3] }, cut: [] },
  ],
  [
    "an object",
    { value: { a: 1 }, cut: [{ path: [], length: 2 }] },
    [{ part: { b: 2 } }],
    { value: { a: 1, b: 2 }, cut: [] },
  ],
  [
    "a part with a cut of its own",
    { value: { list: ["a"] }, cut: [{ path: ["list"], length: 2 }] },
    [{ part: ["b"], cut: [{ path: [1], length: 9, link: "?3" }] }],
    { value: { list: ["a", "b"] }, cut: [{ path: ["list", 1], length: 9, link: "?3" }] },
  ],
  [
    "one of two cuts",
    {
      value: ["a", "b"],
      cut: [
        { path: [0], length: 2 },
        { path: [1], length: 2 },
      ],
    },
    [{ part: "A" }],
    { value: ["aA", "b"], cut: [{ path: [1], length: 2 }] },
  ],
])("joins %s", (_, whole, parts, expected) => {
  expect(joined(whole, ...parts)).toEqual(expected);
});

test("finds the cuts of a place, with their paths from there", () => {
  const cut = [
    { path: ["results", 0, "observation"], length: 1 },
    { path: ["results", 1, "content", 0], length: 2 },
  ];
  const found = (...path: (string | number)[]) => placeBelow({ from: "a", cut }, ...path);
  expect(found("results", 1)).toEqual({ from: "a", cut: [{ path: ["content", 0], length: 2 }] });
  expect(found("results", 0, "observation").cut).toEqual([{ path: [], length: 1 }]);
  expect(found("reply").cut).toEqual([]);
});

test("makes the path of a rest from that of its answer", () => {
  expect(pathOfRest("glassloop/threads/t/prompt?call=a", "?call=a&part=%5B%5D&from=20")).toBe(
    "glassloop/threads/t/prompt?call=a&part=%5B%5D&from=20",
  );
});
