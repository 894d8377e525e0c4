import type { Call, Step, Turn } from "../../src/turn/turn.js";

/** A turn that is over, with what a test changes. */
export function turnWith(changes: Partial<Turn> = {}): Turn {
  return {
    number: 1,
    asked: "How far is it?",
    steps: [],
    quiet: [],
    searches: [],
    answer: "Far.",
    writing: "",
    stopReason: "answered",
    citations: [],
    citedSources: [],
    waiting: [],
    ...changes,
  };
}

/** A step with some calls. */
export function stepWith(number: number, ...calls: readonly Call[]): Step {
  return { number, kind: "action", calls, notes: [] };
}

/** The step with the answer. */
export function answerStep(number: number): Step {
  return { number, kind: "finish", calls: [], notes: [], asked: { model: "m", ms: 1900 } };
}

/** A call that returned. */
export function callWith(changes: Partial<Call> = {}): Call {
  return {
    id: "c1",
    tool: "fares",
    input: { train: "62" },
    status: "success",
    result: "549 kr",
    ms: 500,
    inner: [],
    ...changes,
  };
}
