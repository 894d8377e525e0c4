import { describe, expect, it } from "vitest";
import { fuseRanks } from "../../../src/documents/search/rank-fusion.js";

const fuse = (...lists: string[][]) => fuseRanks(lists, (word) => word);

describe("fuseRanks", () => {
  it("ranks items of several lists first, and keeps the order of a single list", () => {
    expect(fuse(["a", "b"], ["b", "c"])).toEqual(["b", "a", "c"]);
    expect(fuse(["a", "b", "c"])).toEqual(["a", "b", "c"]);
    expect(fuse(["a", "b"], ["c"])).toEqual(["a", "c", "b"]);
    expect(fuse(["x", "a"], ["y", "a"])[0]).toBe("a");
    expect(fuse()).toEqual([]);
  });

  it("counts an item once in each list, at its first place", () => {
    expect(fuse(["b", "a", "a", "a"], ["b"])).toEqual(["b", "a"]);
    expect(fuse(["a", "a", "b"], ["c", "b"])).toEqual(["b", "a", "c"]);
  });

  it("identifies items by their key, and keeps the first of equal items", () => {
    const lists = [[{ id: 1, from: "words" }], [{ id: 1, from: "vectors" }]];
    expect(fuseRanks(lists, ({ id }) => id)).toEqual([{ id: 1, from: "words" }]);
  });
});
