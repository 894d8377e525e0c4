import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { insidesOf } from "../../src/loop/inside.js";
import { Loop } from "../../src/loop/loop.js";
import type { Turn } from "../../src/turn/turn.js";
import { agentGraph } from "./graphs.js";
import { at, callOf, stepOf, turnOf } from "./turns.js";

const price = { input: 1, output: 2 };
const agent = { models: [{ name: "small", price }] };
const inner = turnOf({ steps: [stepOf(1, 1100, 200)] });
const decided = { askedAt: at(2000), at: at(9000), by: "Ben" };
const calls = [
  callOf("1-fares", 1000, 500, { inner: [inner] }),
  callOf("1-refund", 9000, 100, { status: "error", decision: { type: "approve" }, decided }),
];
const turn = turnOf({
  steps: [stepOf(1, 0, 900, { calls }), stepOf(2, 9200, 300, { kind: "finish" })],
  workedMs: 2500,
  usage: { modelCalls: 3, inputTokens: 2361, outputTokens: 60, toolCalls: 2, models: {} },
  cost: { dollars: 0.00033, unpriced: ["other"], isEstimate: false },
});

function markupOf(shown: Turn, step?: number) {
  return renderToStaticMarkup(
    <Loop turn={shown} agent={agent} graph={agentGraph} caller="Ann" step={step} onStep={() => {}} />,
  );
}
const texts = (markup: string) => markup.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");

describe("the loop of a turn", () => {
  it("begins with its sentence, then has its graph and its times", () => {
    const text = texts(markupOf(turn));
    expect(text).toContain("Answered after 9.5 s, 7.0 s of them waiting for Ben : 2 calls, 1 of them failed.");
    expect(text).toMatch(/returned unparseable action finish observed rephrase-question plan ×2 parse ×2 act/);
    expect(text).toMatch(/Time model 1\.2 s tools 0\.6 s Ben 7\.0 s/);
    expect(text).toMatch(/1 plan .*↳ plan .*Ben 7\.0 s refund 0\.1 s 2 plan .*Turn 9\.5 s 2,361 ≈\$0\.00033/);
  });

  it("lights the nodes and the rows of the chosen step", () => {
    const markup = markupOf(turn, 2);
    expect(markup.match(/aria-label="(\w+): [^"]*" data-taken="true" data-lit="true"/g)).toHaveLength(2);
    expect(markup.match(/aria-current="step"/g)).toHaveLength(1);
    expect(markupOf(turn, 1).match(/aria-current="step"/g)).toHaveLength(5);
  });

  it("has the live node and bars that are open while it runs", () => {
    const asked = { model: "small", at: at(0) };
    const now = { node: "plan", since: at(0) };
    const markup = markupOf(
      turnOf({ stopReason: undefined, now, steps: [{ ...stepOf(1, 0, 0), asked, kind: undefined }] }),
    );
    expect(markup).toMatch(/aria-label="plan: 1 time, here"[^>]* data-live="true"/);
    expect(markup).toContain('data-open="true"');
    expect(markupOf(turn)).not.toContain('data-live="true"');
  });

  it("says that times were not kept, and still tells the calls", () => {
    const untimed = {
      ...stepOf(1, 0, 0, { calls: [callOf("1-fares", 0, 0, { at: undefined })] }),
      asked: { model: "small" },
    };
    expect(texts(markupOf(turnOf({ steps: [untimed] })))).toMatch(
      /Times of single calls were not kept\..*1 plan fares/,
    );
  });

  it("marks a wait that was cut, and shows names as text", () => {
    expect(markupOf(turn)).toContain('class="cut"');
    const hostile = callOf("1-x", 1000, 10, { tool: "<img src=x>" });
    expect(markupOf(turnOf({ steps: [stepOf(1, 0, 900, { calls: [hostile] })] }))).toContain("&lt;img src=x&gt;");
  });
});

it("agents in tools are found at any depth, with the way to them", () => {
  const outer = turnOf({ steps: [stepOf(3, 0, 9, { calls: [callOf("3-policy", 9, 9, { inner: [turn] })] })] });
  expect(insidesOf(outer).map(({ path, step }) => [path.join(" "), step])).toEqual([
    ["policy", 3],
    ["policy fares", 3],
  ]);
});
