import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  approveRest,
  canApproveAll,
  choiceOf,
  fieldsOf,
  leftOutOf,
  undecided,
} from "../../src/conversation/decision.js";
import { DecisionCard } from "../../src/conversation/decision-card.js";
import type { WaitingRequest } from "../../src/wire.js";

const request = (changes: Partial<WaitingRequest> = {}): WaitingRequest => ({
  id: "c1",
  tool: "refund",
  input: { order: 7, amount: 89.9 },
  description: "Refunds an order.",
  why: "It has effects.",
  allowed: ["approve", "edit", "refuse", "answer"],
  digest: "d1",
  ...changes,
});

describe("A choice", () => {
  it.each([
    ["approve", "", { type: "approve", digest: "d1" }],
    ["refuse", "", { type: "refuse", digest: "d1" }],
    ["refuse", " too much\n", { type: "refuse", digest: "d1", reason: "too much" }],
    ["answer", "blue", { type: "answer", digest: "d1", answer: "blue" }],
  ] as const)("to %s with %j has the digest of what was shown", (type, words, expected) => {
    expect(choiceOf(request(), type, words)).toEqual(expected);
  });

  it("for all together leaves what was chosen", () => {
    const requests = [request(), request({ id: "c2", digest: "d2" })];
    const choices = { c1: choiceOf(requests[0] ?? request(), "refuse") };
    expect(undecided(requests, choices)).toEqual([requests[1]]);
    expect(approveRest(requests, choices)).toEqual({ ...choices, c2: { type: "approve", digest: "d2" } });
  });

  it("for all together is only offered where each may be approved", () => {
    expect(canApproveAll([request(), request()])).toBe(true);
    expect(canApproveAll([request()])).toBe(false);
    expect(canApproveAll([request(), request({ allowed: ["answer", "refuse"] })])).toBe(false);
  });
});

describe("The input of a call that waits", () => {
  it.each<[string, WaitingRequest["written"], unknown, string | undefined]>([
    ["as the model wrote it", { order: 7, amount: 89.9 }, [{}, {}], undefined],
    ["of which nobody knows what the model wrote", undefined, [{}, {}], undefined],
    ["with a changed value", { order: "7", amount: 80 }, [{}, { wrote: "80" }], undefined],
    ["with an added value", { order: 7 }, [{}, { wrote: null }], undefined],
    ["without a value that the model wrote", { order: 7, amount: 89.9, to: "Ann" }, [{}, {}], "to Ann"],
    ["that is no object", "order 7", [{}, {}], "order 7"],
  ])("is shown %s", (_, written, changes, left) => {
    const fields = [
      { name: "order", value: "7" },
      { name: "amount", value: "89.9" },
    ];
    const shown = request({ written });
    expect(fieldsOf(shown)).toEqual(
      fields.map((field, n) => Object.assign(field, Array.isArray(changes) && changes[n])),
    );
    expect(leftOutOf(shown)).toBe(left);
  });
});

describe("The card of a call that waits", () => {
  beforeEach(() => vi.stubGlobal("sessionStorage", { getItem: () => null }));
  afterEach(() => vi.unstubAllGlobals());
  const card = (changes: Partial<WaitingRequest>, may = true) =>
    renderToStaticMarkup(
      <DecisionCard
        request={request(changes)}
        place="1 of 2"
        chosen={undefined}
        isBusy={false}
        onChoose={may ? () => {} : undefined}
      />,
    );

  it("says why, names the values, and what the tool gets instead of what the model wrote", () => {
    const html = card({
      written: { order: 7, amount: 80 },
      note: "The input has invisible characters (1), such as U+200B.",
    });
    expect(html).toContain("<li>It has effects.</li><li>The input has invisible characters (1), such as U+200B.</li>");
    expect(html).toMatch(/<dt>order<\/dt><dd><div class="long-text"><pre dir="auto">7<\/pre><\/div><\/dd>/);
    expect(html).toContain('changed from what the model wrote: <del dir="auto">80</del>');
  });

  it.each<[string, Partial<WaitingRequest>, boolean, string[]]>([
    ["an approval", {}, true, ["Approve A", "Refuse… R"]],
    ["a call that may only be approved", { allowed: ["approve"] }, true, ["Approve A"]],
    ["a question of the model", { allowed: ["answer", "refuse"] }, true, ["Answer A", "Do not answer R"]],
    ["one who may not decide", {}, false, []],
  ])("offers to %s what can be done", (_, changes, may, expected) => {
    const html = card(changes, may);
    const buttons = html.match(/<button.*?<\/button>/gs) ?? [];
    expect(buttons.map((button) => button.replaceAll(/<[^>]*>/g, ""))).toEqual(expected);
    expect(html.includes("<textarea")).toBe(expected.includes("Answer A"));
  });
});
