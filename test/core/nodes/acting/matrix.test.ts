import { MemorySaver } from "@langchain/langgraph";
import { expect, it } from "vitest";
import { randomFrom } from "../../../helpers/random.js";
import { drawCell, runCell } from "./matrix.js";

it("calls that ask a person run exactly as decided, once, and only after they were shown", async () => {
  const checkpointer = new MemorySaver();
  const random = randomFrom(23);
  for (let n = 0; n < 4; n += 1) {
    const cell = drawCell(random);
    const { ran, expected, problems } = await runCell(cell, checkpointer, random, `t${n}`);
    expect({ cell, ran, problems }).toEqual({ cell, ran: expected, problems: [] });
  }
});
