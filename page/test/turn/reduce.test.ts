import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { reduce } from "../../src/turn/reduce.js";
import type { Turn } from "../../src/turn/turn.js";
import type { TurnEvent } from "../../src/wire.js";
import { isConsistent } from "../served/turn-forms.js";

/** Events of an older server, which told no times of searches and decisions. */
function exported(name: string): TurnEvent[] {
  const file = new URL(`../fixtures/${name}.events.jsonl`, import.meta.url);
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

function replayed(name: string): readonly Turn[] {
  return exported(name).reduce((turns: readonly Turn[], event) => {
    const next = reduce(turns, event);
    expect(isConsistent(turns.at(-1), next, event)).toBe("");
    return next;
  }, []);
}

it("a run that died at any event, and goes on, shows each word once", () => {
  const events = exported("trip").filter(({ turn }, _, [first]) => turn === first?.turn);
  const [whole] = events.reduce(reduce, []);
  for (const [place, event] of events.entries()) {
    if (event.step === 0 || event.type === "turn-end") continue;
    const { thread, turn, time, step, path } = event;
    const again = events.findIndex((one) => one.step === step && one.type === "model-start");
    const start = { type: "turn-start", asked: whole?.asked ?? "", number: 1, resumed: true } as const;
    const died = [...events.slice(0, place + 1), { ...start, thread, turn, time, step, path }, ...events.slice(again)];
    expect(died.reduce(reduce, [])).toEqual([{ ...whole, workedMs: expect.any(Number) }]);
  }
});

it("events that are read once more, and an answer that is made anew, take the place of what was there", () => {
  const events = exported("trip");
  const turns = events.reduce(reduce, []);
  expect(events.reduce(reduce, turns)).toEqual(turns);
  const anew = events.slice(0, 5).map((event) => ({ ...event, turn: "another" }));
  expect(anew.reduce(reduce, turns)).toMatchObject([{ id: "another", number: 1, answer: undefined }]);
});

describe("the events of a thread are shown as turns", () => {
  it("with what could not be read, and the answer after it", () => {
    const [turn] = replayed("trip");
    expect(turn).toMatchObject({
      number: 1,
      stopReason: "answered",
      answer: expect.stringContaining("Take **train 62**"),
      writing: "",
      now: undefined,
      usage: { modelCalls: 4 },
      steps: [
        { kind: "action", reply: "abc340dabd33", calls: [{ tool: "timetable", status: "success" }, { tool: "fares" }] },
        { kind: "unparseable", thought: expect.stringContaining("One seat"), calls: [] },
        { kind: "action", calls: [{ tool: "calculator", input: { expression: "4 * 549" }, result: "2196" }] },
        { kind: "finish", asked: { model: "gpt-4o-mini", inputTokens: 748, cacheReadTokens: 640 } },
      ],
    });
  });

  it("with decisions, and an agent in a tool, over three runs", () => {
    expect(replayed("refund")).toMatchObject([
      {
        stopReason: "answered",
        waiting: [],
        steps: [
          { calls: [{ tool: "order" }, { tool: "mail" }] },
          { calls: [{ tool: "refund", decision: { type: "refuse" }, status: expect.any(String) }] },
          { calls: [{ tool: "policy", inner: [{ answer: expect.stringContaining("§ 4.2"), steps: [{}, {}] }] }] },
          { calls: [{ decision: { type: "edit" } }, { decision: { type: "approve" } }] },
          { kind: "finish" },
        ],
      },
    ]);
  });

  it("with searches, quiet calls and citations, turn by turn", () => {
    expect(replayed("library")).toMatchObject([
      {
        number: 1,
        searches: [{ found: 5 }],
        quiet: [
          { purpose: "grading", after: 0 },
          { purpose: "check", after: 1 },
        ],
      },
      {
        number: 2,
        question: expect.stringContaining("before Xuanyi Geng"),
        searches: [{ found: 5, after: 0 }, { query: "earlier world records Rubik Cube Max Park seconds" }],
        citations: [{ number: 2 }, { number: 1 }, { number: 2 }, { number: 2 }],
        citedSources: [{ number: 2 }, { number: 1 }],
      },
    ]);
  });
});
