import { expect, test } from "vitest";
import { compareTurns } from "./told-turns.js";

// With TURNS=500 so many turns are tried, with stops and times, too.
const { TURNS } = process.env;

test("a thread tells of random turns what their events said", async () => {
  const { said, told } = await compareTurns(1, Number(TURNS ?? 12), TURNS !== undefined);
  expect(told).toEqual(said);
});
