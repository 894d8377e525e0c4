import { describe, expect, it } from "vitest";
import { layoutLarge } from "../../src/loop/large-graph.js";
import { layout } from "../../src/loop/layout.js";
import { labelWidth, type NamedGraph, type Picture } from "../../src/loop/picture.js";
import type { GraphOfServer } from "../../src/wire.js";
import { agentGraph, graphOf, retrievalGraph } from "./graphs.js";

/** Names a graph with the longest counts that are usual. */
const named = ({ nodes, edges }: GraphOfServer, times = " ×12"): NamedGraph => ({
  nodes: nodes.map(({ id }) => ({ id, text: id + times })),
  edges: edges.map(({ source, target, data }) => ({ source, target, label: data === undefined ? "" : data + times })),
});
const order = ({ boxes }: Picture) => [...boxes].sort((one, other) => one.x - other.x).map(({ id }) => id);

/** The level lines of brackets: their height, and the places that they and their labels take. */
function bracketsOf({ ways, boxes }: Picture) {
  const line = boxes[0]?.y ?? 0;
  return ways.flatMap(({ path, label, source, target }) => {
    const [, begin, height, end] = /Q\S+ (\S+) \S+ \S+?H(\S+?)Q/.exec(path)
      ? [
          0,
          Number(/^M(\S+)/.exec(path)?.[1]),
          Number(/Q\S+ (\S+)/.exec(path)?.[1]),
          Number(/H\S+?Q(\S+)/.exec(path)?.[1]),
        ]
      : [];
    if (begin === undefined || end === undefined || height === undefined) return [];
    const half = label ? labelWidth(label.text) / 2 : 0;
    const [low, high] = [Math.min(begin, end), Math.max(begin, end)];
    const middle = (begin + end) / 2;
    const side = height < line ? "above" : "below";
    return [{ source, target, side, height, low: Math.min(low, middle - half), high: Math.max(high, middle + half) }];
  });
}

const graphs = {
  "an agent": agentGraph,
  "a retrieval agent": retrievalGraph,
  "a graph in which everything is linked": graphOf(
    ["a", "b", "c", "d", "e", "f"]
      .flatMap((from, _, all) => all.filter((to) => to !== from).map((to) => `${from} > ${to}: ${from} to ${to}`))
      .join("\n"),
  ),
};

describe.each(Object.entries(graphs))("the picture of %s", (_, graph) => {
  const picture = layout(named(graph));

  it("has each node and each way once, on one line", () => {
    expect(picture.boxes.map(({ id }) => id).sort()).toEqual(graph.nodes.map(({ id }) => id).sort());
    expect(picture.ways).toHaveLength(graph.edges.length);
    expect(new Set(picture.boxes.map(({ y }) => y)).size).toBe(1);
  });

  it("has no boxes or brackets that lie on each other", () => {
    const boxes = [...picture.boxes].sort((one, other) => one.x - other.x);
    boxes.slice(1).forEach((box, n) => {
      const before = boxes[n];
      expect(box.x - box.width / 2).toBeGreaterThan((before?.x ?? 0) + (before?.width ?? 0) / 2 + 8);
    });
    const brackets = bracketsOf(picture);
    expect(brackets.length).toBeGreaterThan(1);
    for (const [n, one] of brackets.entries()) {
      for (const other of brackets.slice(n + 1)) {
        if (one.side !== other.side || one.height !== other.height) continue;
        expect(one.high < other.low || other.high < one.low, `${one.source} ${one.target}, ${other.source}`).toBe(true);
      }
    }
  });

  it("draws forward ways above and backward ones below, within its size", () => {
    const place = (id: string) => order(picture).indexOf(id);
    for (const { source, target, side, height, low, high } of bracketsOf(picture)) {
      expect(side).toBe(place(target) > place(source) ? "above" : "below");
      expect(height).toBeGreaterThan(4);
      expect(height).toBeLessThan(picture.height - 4);
      expect(low).toBeGreaterThan(0);
      expect(high).toBeLessThan(picture.width);
    }
  });
});

it("an agent's four nodes fit, with counts, and their labels between them", () => {
  const picture = layout(named(agentGraph, " ×4"));
  expect(order(picture)).toEqual(["__start__", "rephrase-question", "plan", "parse", "act", "__end__"]);
  expect(picture.width).toBeLessThanOrEqual(587);
  expect(picture.height).toBeLessThan(110);
  expect(picture.ways.find(({ label }) => label?.text === "action ×4")?.path).toMatch(/^M\S+ \S+H\S+$/);
});

it("the seven nodes of retrieval stand in the order of the way, and are legible in 587 px", () => {
  const picture = layout(named(retrievalGraph, ""));
  expect(order(picture).slice(1, -1)).toEqual([
    "rephrase-question",
    "retrieve",
    "grade",
    "rewrite",
    "write-answer",
    "check",
    "parse",
  ]);
  // Their letters have 12 px, and at least 9 when the picture is made narrower.
  expect((587 / picture.width) * 12).toBeGreaterThan(9);
});

it("a large graph is laid out without boxes on each other", () => {
  const steps = Array.from({ length: 20 }, (_, n) => `n${n} > n${n + 1}: next\nn${n} > n${Math.floor(n / 3)}: back`);
  const graph = named(graphOf(steps.join("\n")), "");
  const { boxes, ways, width, height } = layoutLarge(graph);
  expect([boxes.length, ways.length]).toEqual([21, 40]);
  for (const [n, one] of boxes.entries()) {
    expect(one.x + one.width / 2).toBeLessThanOrEqual(width);
    expect(one.y + one.height / 2).toBeLessThanOrEqual(height);
    for (const other of boxes.slice(n + 1)) {
      const isApart =
        Math.abs(one.x - other.x) >= (one.width + other.width) / 2 ||
        Math.abs(one.y - other.y) >= (one.height + other.height) / 2;
      expect(isApart).toBe(true);
    }
  }
  expect(ways.every(({ path, label }) => /^M[\d.]+ [\d.]+L/.test(path) && label !== undefined)).toBe(true);
});
