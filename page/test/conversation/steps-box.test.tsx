import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { linesOf } from "../../src/conversation/lines.js";
import { StepsBox } from "../../src/conversation/steps-box.js";
import { ViewerContext } from "../../src/conversation/viewer.js";
import type { Turn } from "../../src/turn/turn.js";
import { answerStep, callWith, stepWith, turnWith } from "./turns.js";

/** The lines as words: what is in different elements stands apart, and the class of what is red or amber before it. */
const linesIn = (turn: Turn, chosen?: number) => {
  const html = renderToStaticMarkup(
    <ViewerContext value={{ name: "me", may: [] }}>
      <StepsBox turn={turn} thread="t" chosen={chosen} />
    </ViewerContext>,
  );
  return html
    .split(/<(?:a|button|div) [^>]*class="line"/)
    .slice(1)
    .map((line) =>
      line
        .replace(/^[^>]*>/, "")
        .replace(/<\w+ class="[^"]*\b(failed|of-person|thought)\b[^"]*"[^>]*>/g, "$1:")
        .replace(/<\/?bdi>|<\/?strong[^>]*>/g, "")
        .replace(/<[^>]*>/g, "|")
        .replace(/\|+/g, "|")
        .replace(/^\||\|$/g, ""),
    );
};

describe("The box of a turn", () => {
  it.each<[string, Partial<Turn>, string[]]>([
    [
      "a call with several values, each with its name",
      { steps: [stepWith(1, callWith({ input: { train: "62", class: "plus" } }))] },
      ["1|fares |train |62 |class |plus|0.5 s|549 kr"],
    ],
    ["a call with one value alone", { steps: [stepWith(1, callWith())] }, ["1|fares 62|0.5 s|549 kr"]],
    [
      "an input of which the beginning is known",
      { steps: [stepWith(1, callWith({ input: '{"a":"b' }))] },
      ["1|fares {&quot;a&quot;:&quot;b|0.5 s|549 kr"],
    ],
    [
      "an input on one line in JSON",
      { steps: [stepWith(1, callWith({ input: '{"a":[1,2]}' }))] },
      ["1|fares [1,2]|0.5 s|549 kr"],
    ],
    [
      "two calls of a step, with one number",
      { steps: [stepWith(1, callWith(), callWith({ id: "c2" }))] },
      ["1|fares 62|0.5 s|549 kr", "fares 62|0.5 s|549 kr"],
    ],
    [
      "a failure in red",
      { steps: [stepWith(1, callWith({ status: "error", result: "no\nfare" }))] },
      ["1|failed:fares 62|0.5 s|failed:no fare"],
    ],
    [
      "a refusal in amber, with its words, and not what the model was told",
      { steps: [stepWith(1, callWith({ status: "error", decision: { type: "refuse", reason: "too much" } }))] },
      ["1|fares 62|not run|of-person:you refused it: too much"],
    ],
    [
      "who decided, and the input as it ran",
      {
        steps: [
          stepWith(
            1,
            callWith({
              decision: { type: "edit", input: { train: "64" } },
              decided: { at: "2026-11-29T10:00:00Z", by: "Ann" },
            }),
          ),
        ],
      },
      ["1|fares 64|0.5 s|of-person:Ann changed its input, then it ran|549 kr"],
    ],
    [
      "a call of which nobody knows whether it ended",
      { steps: [stepWith(1, callWith({ status: "unknown", result: undefined }))] },
      ["1|fares 62|0.5 s|of-person:it began, and nobody knows whether it ended"],
    ],
    [
      "a thought before its call",
      { steps: [{ ...stepWith(1, callWith()), thought: "I look." }] },
      ["1|thought:I look.", "fares 62|0.5 s|549 kr"],
    ],
    [
      "a reply that could not be read in amber, once",
      { steps: [{ ...stepWith(1), kind: "unparseable", thought: "calc(", why: "The call has no end." }] },
      ["1|of-person:The reply could not be read: the call has no end. The model is asked again."],
    ],
    ["the step with the answer", { steps: [answerStep(1)] }, ["1|wrote the answer|1.9 s"]],
    [
      "an agent in a tool, in short",
      {
        steps: [
          stepWith(
            1,
            callWith({ inner: [turnWith({ steps: [stepWith(1, callWith({ tool: "handbook", input: "cups" }))] })] }),
          ),
        ],
      },
      ["1|fares 62|0.5 s|549 kr", "inside: handbook cups, then an answer"],
    ],
    [
      "searches, and quiet calls in a row as one line, in the order of their times",
      {
        quiet: [
          { purpose: "grading", model: "m", after: 0, at: "2026-11-29T10:00:02Z", ms: 700 },
          { purpose: "rewriting", model: "m", after: 0, at: "2026-11-29T10:00:03Z", ms: 800 },
          { purpose: "check", model: "m", after: 1, ms: 600 },
        ],
        searches: [{ retriever: "r", query: "cube", found: 5, after: 0, at: "2026-11-29T10:00:01Z", ms: 20 }],
        steps: [answerStep(1)],
      },
      ["search cube|20 ms|5 found", "grading, rewriting|1.5 s", "1|wrote the answer|1.9 s", "check|0.6 s"],
    ],
    [
      "what a search could not do in red",
      { searches: [{ retriever: "r", query: "cube", found: 0, error: "no index", after: 0 }] },
      ["search cube|failed:it failed: no index"],
    ],
    [
      "that a server was asked again",
      {
        steps: [
          {
            ...answerStep(1),
            notes: [{ type: "retry", fields: { attempt: 2, milliseconds: 1000, why: "It was busy." } }],
          },
        ],
      },
      ["1|of-person:The model was asked again after 1.0 s, try 2: It was busy.", "wrote the answer|1.9 s"],
    ],
  ])("shows %s", (_, changes, expected) => expect(linesIn(turnWith(changes))).toEqual(expected));

  it("tells which calls wait", () => {
    const steps = [stepWith(1, callWith({ status: undefined, result: undefined, ms: undefined }))];
    const request = { id: "c1", tool: "fares", input: {}, description: "", why: "", allowed: [], digest: "" };
    const waiting: Turn["waiting"] = [{ type: "approval", interrupt: "i", requests: [request], complaints: [] }];
    expect(linesIn(turnWith({ steps, waiting, stopReason: "waiting" }))).toEqual(["1|fares 62|waits"]);
  });

  const seven = [1, 2, 3, 4, 5, 6].map((number) => stepWith(number, callWith({ id: `c${number}` })));
  it("folds more than six lines when the turn has ended well", () => {
    const turn = turnWith({ steps: [...seven, answerStep(7)] });
    expect(linesIn(turn)).toEqual(["▸|7 steps |fares ×6"]);
    expect(linesIn(turn, 3)).toHaveLength(8);
    expect(linesIn({ ...turn, stopReason: "step-limit" })).toHaveLength(7);
    expect(linesIn({ ...turn, stopReason: undefined })).toHaveLength(7);
    expect(linesIn({ ...turn, steps: turn.steps.slice(1) })).toHaveLength(6);
  });

  it("draws the last lines of thousands", () => {
    const steps = Array.from({ length: 10_000 }, (_, n) => stepWith(n + 1, callWith()));
    const shown = linesIn(turnWith({ steps, stopReason: "step-limit" }));
    expect(shown).toHaveLength(201);
    expect(shown[0]).toBe("▸|9,800 lines before");
    expect(shown.at(-1)).toBe("10000|fares 62|0.5 s|549 kr");
  });

  it("marks the chosen step, and leads to each", () => {
    const steps = [stepWith(1, callWith()), answerStep(2)];
    const html = renderToStaticMarkup(<StepsBox turn={turnWith({ steps })} thread="t" chosen={2} />);
    expect(html.match(/href="[^"]*"|aria-current="true"/g)).toEqual([
      'href="#/threads/t?turn=1&amp;step=1"',
      'href="#/threads/t?turn=1&amp;step=2"',
      'aria-current="true"',
    ]);
  });

  it("cuts lines of megabytes", () => {
    const long = "a ".repeat(1_000_000);
    const turn = turnWith({ steps: [{ ...stepWith(1, callWith({ input: long, result: long })), thought: long }] });
    expect(linesIn(turn).join("").length).toBeLessThan(2_000);
    expect(linesOf(turn)).toHaveLength(2);
  });
});
