import { describe, expect, it } from "vitest";
import { fuseRanks } from "../../../src/documents/search/rank-fusion.js";

const fuse = (...lists: string[][]) => fuseRanks(lists, (word) => word);

describe("fuseRanks", () => {
  it("puts first what several lists have, and keeps the order of one list", () => {
    expect(fuse(["a", "b"], ["b", "c"])).toEqual(["b", "a", "c"]);
    expect(fuse(["a", "b", "c"])).toEqual(["a", "b", "c"]);
    expect(fuse(["a", "b"], ["c"])).toEqual(["a", "c", "b"]);
    expect(fuse()).toEqual([]);
  });

  it("prefers two places in the middle to one first place", () => {
    expect(fuse(["x", "a"], ["y", "a"])[0]).toBe("a");
  });

  it("counts an item once in each list, where it stands first", () => {
    expect(fuse(["b", "a", "a", "a"], ["b"])).toEqual(["b", "a"]);
    expect(fuse(["a", "a", "b"], ["c", "b"])).toEqual(["b", "a", "c"]);
  });

  it("tells items by their key, and takes the first of those that are the same", () => {
    const lists = [[{ id: 1, from: "words" }], [{ id: 1, from: "vectors" }]];
    expect(fuseRanks(lists, ({ id }) => id)).toEqual([{ id: 1, from: "words" }]);
  });
});
