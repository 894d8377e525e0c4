import { describe, expect, it } from "vitest";
import { randomFrom } from "../../../helpers/random.js";
import { memorySaver } from "../../../matrix/savers.js";
import { drawCell, runCell } from "./matrix.js";

describe.each([memorySaver])("calls that ask a person, kept by $kept", ({ kept, open }) => {
  it("run exactly as decided, once, and only after they were shown", async () => {
    const checkpointer = await open();
    const random = randomFrom(kept.length);
    for (let n = 0; n < 5; n += 1) {
      const cell = drawCell(random);
      const { ran, expected, problems } = await runCell(cell, checkpointer, random, `t${n}`);
      expect({ cell, ran, problems }).toEqual({ cell, ran: expected, problems: [] });
    }
  });
});
