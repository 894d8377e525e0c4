import { describe, expect, it } from "vitest";
import { sample } from "../matrix/matrix.js";
import { runNested, turns } from "./nested-agents.js";

const paidBy = (...names: string[]) => [
  ["human", null, "Pay the bills."],
  ["ai", "outer", ""],
  ...names.map((name) => ["tool", `ask-${name}`, `${name === "middle" ? "inner" : name}-bill is paid`]),
];
const turnMessages = {
  "two deep": [...paidBy("middle"), ["ai", "outer", "inner-bill is paid"]],
  "two of a step": [...paidBy("left", "right"), ["ai", "outer", "right-bill is paid"]],
};

describe.each(["two deep", "two of a step"] as const)("agents in tools, %s", (depth) => {
  const turn = turns[depth];

  it("write these notes without a kill", () => {
    const { notes, stderr, messages } = runNested(depth, []);
    expect({ notes: notes.toSorted(), stderr }).toEqual({ notes: turn.toSorted(), stderr: "" });
    expect(messages).toEqual(turnMessages[depth]);
  });

  it.each(sample(turn.map((line, n) => ({ line, n: n + 1 }))))("killed at note $n repeat no finished call", ({ n }) => {
    const { signals, notes, stderr, messages } = runNested(depth, [n]);
    expect({ signals, stderr, messages }).toEqual({ signals: ["SIGKILL"], stderr: "", messages: turnMessages[depth] });
    // The last note is of what was at work. The agents of a step may be at work together.
    const isTogether = depth === "two of a step" && (n === 2 || n === 3);
    const atWork = new Set(isTogether ? turn.slice(1, 3) : notes.slice(n - 1, n));
    const isWrong = (line: string) => {
      const isPayment = line.endsWith("-bill") && !line.startsWith("asks");
      const times = notes.filter((note) => note === line).length;
      return times === 0 || times > (atWork.has(line) && !isPayment ? 2 : 1);
    };
    expect(turn.filter(isWrong)).toEqual([]);
  });
});

it("agents in tools, killed between a question and the end, ask once, are resumed once, and pay for no call twice", () => {
  const { signals, notes, messages } = runNested("two deep", [4, 7]);
  expect(signals).toEqual(["SIGKILL", "SIGKILL"]);
  expect(notes).toEqual([
    "outer human",
    "middle human",
    "inner human",
    "asks about inner-bill",
    // The second process shows the question again, pays, and dies while the model is asked.
    "asks about inner-bill",
    "inner-bill",
    "inner tool",
    "inner tool",
    "middle tool",
    "outer tool",
  ]);
  expect(messages).toEqual(turnMessages["two deep"]);
});
