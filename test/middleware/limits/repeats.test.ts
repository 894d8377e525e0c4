import { describe, expect, it } from "vitest";
import type { IntermediateStep } from "../../../src/index.js";
import { goesRound, repeatNote } from "../../../src/middleware/limits/repeats.js";

type Call = readonly [tool: string, input: string | Record<string, unknown>, observation?: string];

const actionOf = ([tool, toolInput]: Call) => ({ tool, toolInput, log: "", id: "1-1" });
const reply = { text: "", toolCalls: [], invalidToolCalls: [] };

/** A step of calls. Its notes are those that `act` adds. */
function stepsOf(...calls: readonly (readonly Call[])[]): IntermediateStep[] {
  const steps: IntermediateStep[] = [];
  for (const step of calls) {
    const actions = step.map(actionOf);
    const results = actions.map((action, n) => {
      const observation = step[n]?.[2] ?? `about ${JSON.stringify(action.toolInput)}`;
      const note = repeatNote({ action, observation }, steps);
      return { action, observation, status: "success" as const, ...(note && { note }) };
    });
    steps.push({ reply, decision: { kind: "action", actions }, results });
  }
  return steps;
}

/** Tells at which step a list of steps would go round; undefined if it never does. */
function stoppedAt(...calls: readonly (readonly Call[])[]): number | undefined {
  const at = calls.findIndex((step, n) => goesRound(stepsOf(...calls.slice(0, n)), step.map(actionOf)));
  return at < 0 ? undefined : at + 1;
}

const [a, b, c, d]: [Call, Call, Call, Call] = [
  ["look", "a"],
  ["look", "b"],
  ["look", "c"],
  ["look", "d"],
];

describe("steps count as a repetition", () => {
  it("when the same call is made for the third time", () => {
    expect(stoppedAt([a], [a], [a])).toBe(3);
    expect(stoppedAt([b], [a], [a], [a])).toBe(4);
  });

  it("when two or three calls alternate", () => {
    expect(stoppedAt([a], [b], [a], [b])).toBe(4);
    expect(stoppedAt([a], [b], [c], [a], [b])).toBe(5);
  });

  it("when inputs differ only in case, white space or the order of fields", () => {
    expect(stoppedAt([["look", "Ann  Lee"]], [["look", " ann lee", "x"]], [["look", "ANN LEE", "x"]])).toBeUndefined();
    const same = "about Ann";
    expect(stoppedAt([["look", "Ann  Lee", same]], [["look", " ann lee", same]], [["look", "ANN LEE", same]])).toBe(3);
    const fields = (value: Record<string, unknown>): Call => ["look", value, same];
    expect(stoppedAt([fields({ x: 1, y: "A" })], [fields({ y: "a", x: 1 })], [fields({ x: 1, y: "a" })])).toBe(3);
  });

  it("when all of several calls at once are repeated", () => {
    expect(stoppedAt([a, b], [b, a], [a, b])).toBe(3);
    expect(stoppedAt([a, b], [a, b], [a, c])).toBeUndefined();
  });

  it("not when a call is repeated once, or a new call comes between", () => {
    expect(stoppedAt([a], [a], [b], [c])).toBeUndefined();
    expect(stoppedAt([a], [b], [a], [c], [a], [d], [a])).toBeUndefined();
  });

  it("not when another tool gets the same input", () => {
    expect(stoppedAt([a], [["read", "a"]], [["write", "a"]])).toBeUndefined();
  });

  it("not while the results change", () => {
    expect(stoppedAt([["look", "a", "1"]], [["look", "a", "2"]], [["look", "a", "3"]])).toBeUndefined();
    expect(stoppedAt([["look", "a", "1"]], [["look", "a", "2"]], [["look", "a", "2"]], [["look", "a", "2"]])).toBe(4);
  });
});

describe("the note on a call", () => {
  const notes = (...calls: Call[]) => stepsOf(...calls.map((call) => [call])).map(({ results }) => results[0]?.note);

  it("says that the call was made before, and whether its result is the same", () => {
    expect(notes(["look", "a", "1"], ["look", "A", "1"], ["look", "a", "2"], ["look", "b", "1"])).toEqual([
      undefined,
      expect.stringMatching(/^\[You made this call before, with the same result\. /),
      expect.stringMatching(/^\[You made this call before\. Its result has changed\.\]$/),
      undefined,
    ]);
  });
});
