import { describe, expect, it } from "vitest";
import { durationOf, legendOf, pricesOf, type Row, rowsOf, stretchOf, sumOf } from "../../src/loop/rows.js";
import type { WaitingRequest } from "../../src/wire.js";
import { at, callOf, stepOf, turnOf } from "./turns.js";

const names = { reply: "plan", caller: "Ann", prices: new Map([["small", { input: 1, output: 2, cacheRead: 0.5 }]]) };
const short = (rows: readonly Row[]) =>
  rows.map((row) => `${"-".repeat(row.depth)}${row.isReply ? `${row.step} ` : ""}${row.label} ${durationOf(row, 0)}`);
const now = Date.parse(at(10_000));

describe("the rows of a turn", () => {
  it("stand in the order of beginning, tools side by side in one", () => {
    const calls = [callOf("1-timetable", 1000, 500), callOf("1-fares", 1100, 900), callOf("1-calculator", 2100, 100)];
    const turn = turnOf({
      quiet: [{ purpose: "rephrasing", model: "small", at: at(0), ms: 90, after: 0 }],
      steps: [stepOf(1, 100, 900, { calls }), stepOf(2, 2300, 600, { kind: "finish" })],
    });
    const rows = rowsOf(turn, names);
    expect(short(rows)).toEqual([
      "rephrasing 90",
      "1 plan 900",
      "timetable, fares 1000",
      "calculator 100",
      "2 plan 600",
    ]);
    expect(rows.map(({ step }) => step)).toEqual([undefined, 1, 1, 1, 2]);
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
    expect(rows[1]?.bars[0]?.firstWord).toBe(Date.parse(at(550)));
    expect(legendOf(rows, 0)).toEqual({ model: 1590, tool: 1100, person: 0 });
  });

  it("have searches and the quiet calls of retrieval at their places", () => {
    const turn = turnOf({
      quiet: [
        { purpose: "grading", model: "small", at: at(300), ms: 50, after: 0 },
        { purpose: "next-query", model: "small", at: at(900), ms: 50, after: 1 },
      ],
      searches: [{ retriever: "films", query: "film", found: 5, at: at(200), ms: 20, after: 0 }],
      steps: [stepOf(1, 400, 300, { kind: "finish" })],
    });
    expect(short(rowsOf(turn, { ...names, reply: "write-answer" }))).toEqual([
      "search: films 20",
      "grading 50",
      "1 write-answer 300",
      "next query 50",
    ]);
  });

  it("show agents in tools below their call", () => {
    const within = turnOf({ steps: [stepOf(1, 1100, 200, { calls: [callOf("2-handbook", 1300, 100)] })] });
    const steps = [stepOf(1, 0, 900, { calls: [callOf("1-policy", 1000, 800, { inner: [within] })] })];
    const rows = rowsOf(turnOf({ steps }), names);
    expect(short(rows)).toEqual(["1 plan 900", "policy 800", "-1 plan 200", "-handbook 100"]);
    expect(legendOf(rows, 0)).toEqual({ model: 900, tool: 800, person: 0 });
  });

  it("name who was waited for", () => {
    const decision = { type: "approve" } as const;
    const decided = (by: string) => ({ askedAt: at(1000), at: at(2000), by });
    const rowsBy = (by: string) => {
      const calls = [callOf("1-refund", 2000, 100, { decision, decided: decided(by) })];
      return short(rowsOf(turnOf({ steps: [stepOf(1, 0, 900, { calls })] }), names));
    };
    expect(rowsBy("Ann")).toEqual(["1 plan 900", "you 1000", "refund 100"]);
    expect(rowsBy("Ben")).toEqual(["1 plan 900", "Ben 1000", "refund 100"]);
  });

  it("end with what a person is asked now; the call that waits has no row", () => {
    const request: WaitingRequest = {
      ...{ id: "1-refund", tool: "refund", input: {}, description: "", why: "", allowed: [], digest: "" },
      askedAt: at(1000),
    };
    const open = callOf("1-refund", 900, 0, { status: undefined, ms: undefined });
    const turn = turnOf({
      stopReason: undefined,
      steps: [stepOf(1, 0, 900, { calls: [open] })],
      waiting: [{ type: "approval", interrupt: "i", complaints: [], requests: [request] }],
    });
    const rows = rowsOf(turn, names);
    expect(rows.map(({ kind }) => kind)).toEqual(["model", "person"]);
    expect(rows.map((row) => durationOf(row, now))).toEqual([900, 9000]);
  });

  it("grow while the turn runs, and not after it was stopped", () => {
    const open = callOf("1-fares", 900, 0, { status: undefined, ms: undefined });
    const steps = [stepOf(1, 0, 900, { calls: [open] })];
    const running = turnOf({ stopReason: undefined, now: { node: "act", since: at(900) }, steps });
    expect(rowsOf(running, names).map((row) => durationOf(row, now))).toEqual([900, 9100]);
    expect(stretchOf(rowsOf(running, names), now)).toEqual({ begin: Date.parse(at(0)), end: now });
    const asked = { model: "small", at: at(0) };
    const stopped = turnOf({ stopReason: "cancelled", steps: [{ ...stepOf(1, 0, 0), asked }] });
    expect(rowsOf(stopped, names).map((row) => durationOf(row, now))).toEqual([0]);
  });

  it("without times keep the order of the steps", () => {
    const untimed = { model: "small" };
    const call = callOf("1-fares", 0, 0, { at: undefined, ms: undefined });
    const steps = [
      { ...stepOf(1, 0, 0, { calls: [call] }), asked: untimed },
      { ...stepOf(2, 0, 0), asked: untimed },
    ];
    const rows = rowsOf(turnOf({ steps }), names);
    expect(short(rows)).toEqual(["1 plan undefined", "fares undefined", "2 plan undefined"]);
    expect(stretchOf(rows, now)).toBeUndefined();
  });

  it("of 10,000 steps are made at once, and each has a key of its own", () => {
    const many = Array.from({ length: 10_000 }, (_, n) =>
      stepOf(n + 1, n * 10, 5, { calls: [callOf(`${n}-fares`, n * 10 + 5, 3)] }),
    );
    const rows = rowsOf(turnOf({ steps: many }), names);
    expect(new Set(rows.map(({ key }) => key)).size).toBe(20_000);
    expect(stretchOf(rows, now)).toEqual({ begin: Date.parse(at(0)), end: Date.parse(at(99_998)) });
  });
});

describe("money", () => {
  it("is that of the tokens, with the price of those from the cache", () => {
    const rows = rowsOf(turnOf({ steps: [stepOf(1, 0, 900)] }), names);
    expect(rows[0]?.dollars).toBeCloseTo((100 * 1 + 400 * 0.5 + 20 * 2) / 1e6, 12);
    expect(sumOf(rows)).toEqual({ inputTokens: 500, dollars: rows[0]?.dollars });
  });

  it("is not told for a model without a price, nor in the sum", () => {
    const rows = rowsOf(turnOf({ steps: [stepOf(1, 0, 900)] }), { ...names, prices: new Map() });
    expect(rows[0]?.dollars).toBeUndefined();
    expect(sumOf(rows)).toEqual({ inputTokens: 500, dollars: undefined });
  });

  it("knows the prices of agents in tools", () => {
    const price = { input: 1, output: 2 };
    const agent = { models: [{ name: "inner", price }], limits: {}, taint: "ignore" } as const;
    const prices = pricesOf({
      models: [{ name: "small", price }, { name: "own" }],
      tools: [{ name: "policy", agent }],
    });
    expect([...prices.keys()]).toEqual(["inner", "small"]);
  });
});
