import type { Call, Step, Turn } from "../../src/turn/turn.js";

const start = Date.parse("2026-11-28T14:10:00.000Z");

/** A time, so many milliseconds after the beginning. */
export const at = (ms: number) => new Date(start + ms).toISOString();

/** A turn that has ended, with what a test gives. */
export function turnOf(given: Partial<Turn> = {}): Turn {
  const nothing = { steps: [], quiet: [], searches: [], writing: "", citations: [], citedSources: [], waiting: [] };
  return {
    number: 1,
    asked: "What do four seats cost?",
    startedAt: at(0),
    ...nothing,
    stopReason: "answered",
    ...given,
  };
}

/** A step whose model was asked at a time for so long. */
export function stepOf(number: number, from: number, ms: number, given: Partial<Step> = {}): Step {
  const tokens = { inputTokens: 500, outputTokens: 20, cacheReadTokens: 400 };
  const asked = { model: "small", at: at(from), ms, firstMs: ms / 2, ...tokens };
  return { number, asked, kind: "action", calls: [], notes: [], ...given };
}

/** A call of a tool that was made at a time for so long. */
export function callOf(id: string, from: number, ms: number, given: Partial<Call> = {}): Call {
  const [, tool = id] = /^\d+-(\w+)/.exec(id) ?? [];
  return { id, tool, input: {}, status: "success", result: "549 kr", at: at(from), ms, inner: [], ...given };
}
