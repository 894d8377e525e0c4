import { describe, expect, it } from "vitest";
import { sample } from "../helpers/sample.js";
import { runNested, turns } from "./nested-agents.js";

describe.each(["two deep", "two of a step"] as const)("agents in tools, %s", (depth) => {
  const turn = turns[depth];

  it("note this when nothing disturbs them", () => {
    const { notes, stderr } = runNested(depth, []);
    expect({ notes: notes.toSorted(), stderr }).toEqual({ notes: turn.toSorted(), stderr: "" });
  });

  it.each(sample(turn.map((line, n) => ({ line, n: n + 1 }))))(
    "killed at note $n do nothing twice that was done",
    ({ n }) => {
      const { signals, notes, stderr } = runNested(depth, [n]);
      expect({ signals, stderr }).toEqual({ signals: ["SIGKILL"], stderr: "" });
      // The last note is of what was at work. The agents of a step may be at work together.
      const isTogether = depth === "two of a step" && (n === 2 || n === 3);
      const atWork = new Set(isTogether ? turn.slice(1, 3) : notes.slice(n - 1, n));
      for (const line of turn) {
        const isPayment = line.endsWith("-bill") && !line.startsWith("asks");
        const most = atWork.has(line) && !isPayment ? 2 : 1;
        const times = notes.filter((note) => note === line).length;
        expect({ line, isOften: times > most, isMissing: times === 0 }).toEqual({
          line,
          isOften: false,
          isMissing: false,
        });
      }
    },
  );
});
