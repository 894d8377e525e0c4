import { expect, it } from "vitest";
import { actionOf, movedInList } from "../../src/frame/keys.js";

it.each([
  ["/", "", "search"],
  ["g", "", undefined],
  ["t", "g", "threads"],
  ["t", "", undefined],
  ["j", "", "next-step"],
  ["k", "j", "previous-step"],
  ["Escape", "g", "back"],
  ["?", "", "keys"],
  ["3", "", { section: 3 }],
  ["6", "", undefined],
  ["constructor", "", undefined],
] as const)("knows what %s does after %s", (key, before, action) => {
  expect(actionOf(key, before)).toEqual(action);
});

it.each([
  ["ArrowDown", 2, 3],
  ["ArrowDown", 4, 4],
  ["ArrowUp", 0, 0],
  ["Home", 3, 0],
  ["End", 0, 4],
  ["Enter", 1, undefined],
])("moves in a list of five: %s at %i", (key, place, to) => {
  expect(movedInList(key, place, 5)).toBe(to);
});
