import { describe, expect, it } from "vitest";
import { randomFrom } from "../../../helpers/random.js";
import { isFull } from "../../../matrix/matrix.js";
import { savers } from "../../../matrix/savers.js";
import { drawCell, runCell } from "./matrix.js";

const cells = isFull ? 150 : 4;

describe.each(savers)("calls that ask a person, kept by $kept", ({ open }) => {
  it.each(isFull ? [1, 2] : [1])("run exactly as decided, once (seed %i)", async (seed) => {
    const checkpointer = await open();
    const random = randomFrom(seed);
    for (let n = 0; n < cells; n += 1) {
      const cell = drawCell(random);
      const { ran, expected, problems } = await runCell(cell, checkpointer, random, `t${n}`);
      expect({ n, cell, ran, problems }).toEqual({ n, cell, ran: expected, problems: [] });
    }
  });
});
