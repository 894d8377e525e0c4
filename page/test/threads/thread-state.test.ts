import { expect, it } from "vitest";
import { listedState, openState, waitsFor } from "../../src/threads/thread-state.js";
import type { Turn } from "../../src/turn/turn.js";
import type { PersonAsked } from "../../src/wire.js";
import { nothingDone } from "../no-turn.js";

const turn: Turn = {
  number: 1,
  asked: "What is 6 * 7?",
  ...nothingDone,
};
const request = { id: "c1", tool: "refund", input: {}, description: "", why: "", allowed: [], digest: "" };
const approval = (calls: number): PersonAsked => ({
  type: "approval",
  interrupt: "i1",
  requests: Array.from({ length: calls }, () => request),
  complaints: [],
});

it.each([
  [{ status: "idle", stopReason: "answered" }, "answered", "good"],
  [{ status: "idle", stopReason: "tool-call-limit" }, "at a limit", "person"],
  [{ status: "idle", stopReason: "length" }, "cut off", "person"],
  [{ status: "idle", stopReason: "cancelled" }, "stopped", "plain"],
  [{ status: "idle", stopReason: "filtered" }, "filtered", "bad"],
  [{ status: "running", stopReason: "answered" }, "running", "plain"],
  [{ status: "waiting" }, "waits for you", "person"],
  [{ status: "failed" }, "failed", "bad"],
  [{ status: "interrupted" }, "stopped", "plain"],
] as const)("says how a listed thread stands: %o", (listed, word, tone) => {
  expect(listedState(listed)).toMatchObject({ word, tone });
});

it("says nothing of a thread in which no turn ended", () => {
  expect(listedState({ status: "idle" })).toBeUndefined();
  expect(openState({ turns: [] })).toBeUndefined();
});

it.each<[Parameters<typeof openState>[0], string]>([
  [{ run: "r1", turns: [turn] }, "running"],
  [{ turns: [{ ...turn, now: { node: "plan", since: "2026-11-29T10:00:00Z" } }] }, "running"],
  [{ turns: [{ ...turn, waiting: [approval(1)] }] }, "waits for you"],
  [{ turns: [{ ...turn, error: { name: "ModelError", message: "No answer." } }] }, "failed"],
  [{ turns: [{ ...turn, stopReason: "failed", now: { node: "plan", since: "2026-11-29T10:00:00Z" } }] }, "failed"],
  [{ turns: [{ ...turn, stopReason: "step-limit" }] }, "at a limit"],
  [{ turns: [turn, { ...turn, number: 2, stopReason: "answered" }] }, "answered"],
])("says how an open thread stands, by its newest turn: %#", (thread, word) => {
  expect(openState(thread)?.word).toBe(word);
});

it("says what a thread waits for", () => {
  expect(waitsFor([approval(2)])).toBe("2 calls wait");
  expect(waitsFor([approval(1)])).toBe("1 call waits");
  expect(waitsFor([{ type: "interrupt", interrupt: "i1", value: "Which?" }])).toBe("a question waits");
});
