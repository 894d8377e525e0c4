import { expect, it } from "vitest";
import type { Address } from "../../src/address.js";
import { paneOf, placeAbove, shownTurn, stepBeside } from "../../src/frame/places.js";
import type { Turn } from "../../src/turn/turn.js";

const turn = (number: number, steps: number): Turn => ({
  number,
  asked: `Question ${number}`,
  steps: Array.from({ length: steps }, (_, index) => ({ number: index + 1, calls: [], notes: [] })),
  quiet: [],
  searches: [],
  writing: "",
  citations: [],
  citedSources: [],
  waiting: [],
});
const turns = [turn(3, 2), turn(4, 0), turn(5, 3)];

it.each<[Address, string]>([
  [{}, "talk"],
  [{ thread: "t" }, "talk"],
  [{ thread: "t", turn: 2 }, "talk"],
  [{ thread: "t", turn: 2, step: 1 }, "step"],
  [{ thread: "t", turn: 2, step: 1, part: "prompt" }, "step"],
  [{ thread: "t", turn: 2, step: 1, part: "loop" }, "loop"],
  [{ thread: "t", step: 1, part: "talk" }, "talk"],
  [{ thread: "t", turn: 2, part: "documents" }, "step"],
  [{ part: "threads" }, "threads"],
])("shows the pane of an address: %o", (address, pane) => {
  expect(paneOf(address)).toBe(pane);
});

it("shows the newest turn unless the address names one", () => {
  expect(shownTurn(turns, {})?.number).toBe(5);
  expect(shownTurn(turns, { turn: 3 })?.number).toBe(3);
  expect(shownTurn(turns, { turn: 2 })).toBeUndefined();
  expect(shownTurn([], {})).toBeUndefined();
});

it.each<[Address, 1 | -1, Address | undefined]>([
  [{ thread: "t" }, 1, { thread: "t", turn: 5, step: 1 }],
  [{ thread: "t" }, -1, { thread: "t", turn: 5, step: 3 }],
  [{ thread: "t", turn: 3, step: 1, part: "prompt" }, 1, { thread: "t", turn: 3, step: 2 }],
  [{ thread: "t", turn: 3, step: 2 }, 1, { thread: "t", turn: 5, step: 1 }],
  [{ thread: "t", turn: 5, step: 1 }, -1, { thread: "t", turn: 3, step: 2 }],
  [{ thread: "t", turn: 5, step: 3 }, 1, undefined],
  [{ thread: "t", turn: 3, step: 1 }, -1, undefined],
  [{ thread: "t", turn: 4 }, 1, undefined],
])("finds the step beside: %o by %i", (address, by, expected) => {
  expect(stepBeside(turns, address, by)).toEqual(expected);
});

it.each<[Address, Address]>([
  [
    { thread: "t", turn: 5, step: 3, part: "prompt" },
    { thread: "t", turn: 5, step: 3 },
  ],
  [
    { thread: "t", turn: 5, step: 3, part: "loop" },
    { thread: "t", turn: 5 },
  ],
  [
    { thread: "t", turn: 5, step: 3 },
    { thread: "t", turn: 5 },
  ],
  [{ thread: "t", turn: 5 }, { thread: "t" }],
  [{ thread: "t" }, { thread: "t" }],
  [{ part: "threads" }, {}],
])("goes up from %o", (address, above) => {
  expect(JSON.parse(JSON.stringify(placeAbove(address)))).toEqual(above);
});
