import { describe, expect, it } from "vitest";
import { type Ways, waysOf } from "../../src/loop/ways.js";
import type { KeptTurn, Turn } from "../../src/turn/turn.js";
import { agentGraph, retrievalGraph } from "./graphs.js";
import { at, callOf, stepOf, turnOf } from "./turns.js";

const seen = ({ visits, taken }: Ways) => ({ visits: Object.fromEntries(visits), taken: Object.fromEntries(taken) });
const steps = [
  stepOf(1, 0, 900, { calls: [callOf("1-fares", 900, 500)] }),
  stepOf(2, 1500, 600, { kind: "unparseable" }),
  stepOf(3, 2200, 600, { calls: [callOf("3-fares", 2900, 500)] }),
  stepOf(4, 3500, 900, { kind: "finish" }),
];
const way = {
  visits: { __start__: 1, "rephrase-question": 1, plan: 4, parse: 4, act: 2, __end__: 1 },
  taken: {
    "__start__>rephrase-question": 1,
    "rephrase-question>plan": 1,
    "plan>parse": 4,
    "parse>act": 2,
    "act>plan": 2,
    "parse>plan": 1,
    "parse>__end__": 1,
  },
};

/** What a thread keeps of a turn whose nodes ran one after the other. */
function keptOf(nodes: readonly (readonly [node: string, step: number])[]): KeptTurn {
  const all = [["", 0] as const, ["__start__", 0] as const, ...nodes];
  const checkpoints = all.map(([node, step], n) => {
    const next = n < all.length - 1 ? [all[n + 1]?.[0] ?? ""] : [];
    return { checkpoint: String(n), at: at(n), source: "loop", nodes: node === "" ? [] : [node], next, step };
  });
  const written = { writtenAt: at(nodes.length), next: [] };
  return { begin: "0", end: String(nodes.length), ...written, isWhole: true, checkpoints, sources: [] };
}
const nodes = (text: string) =>
  text.split(" ").map((one) => [one.replace(/\d$/, ""), Number(/\d$/.exec(one)?.[0] ?? 0)] as const);

describe("an agent", () => {
  it("went the ways that its steps tell", () => {
    expect(seen(waysOf(turnOf({ steps }), agentGraph))).toEqual(way);
  });

  it("went the same ways by what its thread keeps", () => {
    const kept = keptOf(nodes("rephrase-question plan1 parse1 act1 plan2 parse2 plan3 parse3 act3 plan4 parse4"));
    const ways = waysOf(turnOf({ steps, kept }), agentGraph);
    expect(seen(ways)).toEqual(way);
    expect(ways.steps.get("plan")).toEqual([1, 2, 3, 4]);
    expect(ways.steps.get("act")).toEqual([1, 3]);
  });

  it("is known by its steps if the first checkpoints were pruned", () => {
    const kept = keptOf(nodes("plan4 parse4"));
    const pruned = { ...kept, checkpoints: kept.checkpoints.slice(1) };
    expect(seen(waysOf(turnOf({ steps, kept: pruned }), agentGraph))).toEqual(way);
  });

  it("ends at a tool that gives the answer", () => {
    const ways = waysOf(turnOf({ stopReason: "returned", steps: steps.slice(0, 1) }), agentGraph);
    expect(seen(ways).taken).toMatchObject({ "act>__end__": 1, "parse>act": 1 });
    expect(seen(ways).taken).not.toHaveProperty("parse>__end__");
  });

  it("has a live node while it runs and while it waits, and none after it", () => {
    const open = { stopReason: undefined, steps: steps.slice(0, 1) };
    const waiting = [{ type: "interrupt", interrupt: "i", value: "Sure?" }] as const;
    expect(waysOf(turnOf({ ...open, now: { node: "plan", since: at(0) } }), agentGraph).live).toBe("plan");
    const waits = waysOf(turnOf({ ...open, waiting }), agentGraph);
    expect([waits.live, waits.visits.get("act"), waits.visits.has("__end__")]).toEqual(["act", 1, false]);
    const kept = keptOf(nodes("rephrase-question plan1 parse1"));
    const keptWaits = waysOf(turnOf({ ...open, waiting, kept }), agentGraph);
    expect([keptWaits.live, keptWaits.taken.get("parse>act")]).toEqual(["act", 1]);
    expect(waysOf(turnOf({ steps }), agentGraph).live).toBeUndefined();
  });

  it("that failed or was stopped did not come to the end", () => {
    const plan = [stepOf(1, 0, 0, { kind: undefined })];
    const taken = (given: Partial<Turn>) => [...waysOf(turnOf({ steps: plan, ...given }), agentGraph).visits.keys()];
    const error = { name: "ModelError", message: "The model's server failed." };
    expect(taken({ stopReason: undefined, error })).toEqual(["__start__", "rephrase-question", "plan"]);
    const failed = { ...keptOf(nodes("rephrase-question")), next: ["plan"] };
    expect(waysOf(turnOf({ stopReason: "failed", error, kept: failed }), agentGraph).live).toBe("plan");
    expect(taken({ stopReason: "cancelled" })).toEqual(["__start__", "rephrase-question", "plan"]);
    const kept = keptOf(nodes("rephrase-question plan1 parse1"));
    expect(taken({ stopReason: "cancelled", kept })).toContain("__end__");
  });

  it("in a tool with an unknown graph has no way", () => {
    expect(seen(waysOf(turnOf({ steps }), { nodes: [{ id: "other" }], edges: [] })).taken).toEqual({});
  });
});

describe("a retrieval agent", () => {
  const quiet = (purpose: string, from: number, after: number) => ({
    purpose,
    model: "small",
    at: at(from),
    ms: 90,
    after,
  });
  const search = (from: number, after = 0) => ({
    retriever: "films",
    query: "film",
    found: 5,
    at: at(from),
    ms: 20,
    after,
  });

  it("went the ways of its searches and its quiet calls", () => {
    const turn = turnOf({
      quiet: [
        quiet("rephrasing", 0, 0),
        quiet("grading", 200, 0),
        quiet("grading", 210, 0),
        quiet("rewriting", 300, 0),
        quiet("grading", 500, 0),
        quiet("check", 800, 1),
      ],
      searches: [search(100), search(101), search(400)],
      steps: [stepOf(1, 600, 100, { kind: "finish" })],
    });
    expect(seen(waysOf(turn, retrievalGraph)).taken).toEqual({
      "__start__>rephrase-question": 1,
      "rephrase-question>retrieve": 1,
      "retrieve>grade": 2,
      "grade>rewrite": 1,
      "rewrite>retrieve": 1,
      "grade>write-answer": 1,
      "write-answer>check": 1,
      "check>parse": 1,
      "parse>__end__": 1,
    });
  });

  it("finds the nodes that tell nothing", () => {
    const ways = waysOf(turnOf({ steps: [stepOf(1, 600, 100, { kind: "finish" })] }), retrievalGraph);
    expect([...ways.visits.keys()]).toEqual([
      "__start__",
      "rephrase-question",
      "write-answer",
      "check",
      "parse",
      "__end__",
    ]);
  });
});

it("a turn of 10,000 steps is counted at once", () => {
  const many = Array.from({ length: 10_000 }, (_, n) =>
    stepOf(n + 1, n * 10, 5, { calls: [callOf(`${n}-fares`, n * 10 + 5, 3)] }),
  );
  expect(waysOf(turnOf({ steps: many }), agentGraph).visits.get("act")).toBe(10_000);
});
