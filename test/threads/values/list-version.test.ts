import { expect, test } from "vitest";
import { type Entry, ListVersion } from "../../../src/threads/values/list-version.js";

const entry = (reference: string): Entry => ({ reference, serialized: { type: "json", content: reference } });
const texts = (version: ListVersion) => version.entries().map(({ reference }) => reference);

test("a version keeps its entries when several later versions build on it", () => {
  const first = ListVersion.of(undefined, 0, [entry("a"), entry("b")]);
  const longer = ListVersion.of(first, 2, [entry("c")]);
  const branch = ListVersion.of(first, 2, [entry("d"), entry("e")]);
  const shorter = ListVersion.of(longer, 1, [entry("f")]);
  const same = ListVersion.of(longer, 3, []);
  expect([first, longer, branch, shorter, same].map(texts)).toEqual([
    ["a", "b"],
    ["a", "b", "c"],
    ["a", "b", "d", "e"],
    ["a", "f"],
    ["a", "b", "c"],
  ]);
  expect([first.at(2), first.at(1)?.reference, branch.at(2)?.reference]).toEqual([undefined, "b", "d"]);
});

test("the size of a version is that of its added entries, and of a branch also that of its positions", () => {
  const first = ListVersion.of(
    undefined,
    0,
    Array.from({ length: 100 }, () => entry("a")),
  );
  const longer = ListVersion.of(first, 100, [entry("b")]);
  const branch = ListVersion.of(first, 100, [entry("b")]);
  expect(longer.size).toBeLessThan(first.size / 50);
  expect(branch.size).toBeGreaterThan(100 + longer.size);
});
