import { describe, expect, it } from "vitest";
import { readVerdict } from "../../src/retrieval/nodes/check.js";
import { readNumbers, readQueryLines } from "../../src/retrieval/prompts/decisions.js";
import { readRoute } from "../../src/retrieval/prompts/route.js";
import replies from "./fixtures/replies.json" with { type: "json" };

/**
 * Replies in several languages with what they say, in the forms that models write. Those of `kept`, `fresh` and `last`
 * were each written before the readers had seen them; the readers were changed after `kept` and `fresh`, and not after `last`. A reply that is undecided is asked for again, so it costs a call. One that is misread costs the answer.
 */
const read = {
  verdicts: (reply: string) => {
    const verdict = readVerdict(reply);
    return verdict && verdict.complaint === "";
  },
  grades: (reply: string) => readNumbers(reply, [1, 2, 3]),
  queries: (reply: string) => readQueryLines(reply)[0],
};

describe.each(["seen", "kept", "fresh", "last"] as const)("replies that were %s", (half) => {
  it.each([
    ["verdicts", { seen: [4, 0], kept: [12, 0], fresh: [8, 0], last: [6, 1] }],
    ["grades", { seen: [5, 0], kept: [6, 0], fresh: [10, 0], last: [9, 2] }],
    ["queries", { seen: [0, 0], kept: [0, 1], fresh: [0, 0], last: [0, 0] }],
  ] as const)("have %s, of which few are undecided or misread", (kind, most) => {
    const made = replies[half][kind].map(([reply, says]) => ({ said: read[kind](String(reply)), says }));
    const undecided = made.filter(({ said }) => said === undefined);
    const misread = made.filter(
      ({ said, says }) => said !== undefined && JSON.stringify(said) !== JSON.stringify(says),
    );
    expect([undecided.length, misread.length]).toEqual(most[half]);
  });
});

it.each([
  ["NO. Issue: no year is given.", "Issue: no year is given."],
  ['{"hallucinated": true}', '{"hallucinated": true}'],
])("a yes to a fault is a no, and a no stays one: %s", (reply, complaint) => {
  expect(readVerdict(reply)).toEqual({ complaint, search: "" });
});

it.each([
  ["1 und 3", [1, 3]],
  ["1 und 3 sind irrelevant", undefined],
  ["1 and 3 unhelpful", undefined],
  ["None of the passages help. They only name the year.", []],
  ["None but 2.", undefined],
])("a list of numbers counts unless something may turn its meaning: %s", (reply, numbers) => {
  expect(readNumbers(reply, [1, 2, 3])).toEqual(numbers);
});

it.each([
  ["Search: tides", "tides"],
  ["Sub-question: tides", "tides"],
  ["Research: tides", "Research: tides"],
  ["Job search: tides", "Job search: tides"],
  ["MySQL slow query: tides", "MySQL slow query: tides"],
])("a query loses a known label, and no words of its own: %s", (reply, query) => {
  expect(readQueryLines(reply)).toEqual([query]);
});

it("a route may name a retriever whose name begins as that of another", () => {
  expect(readRoute("films, film", ["film", "films", "tennis"]).retrievers).toEqual(["film", "films"]);
});

it("a verdict has what is wrong, and the query for what is missing", () => {
  const verdict = '{"right": false, "why": "no year", "search": "the year"}';
  expect(readVerdict(verdict)).toEqual({ complaint: "no year", search: "the year" });
  expect(readVerdict("NO: no year")).toEqual({ complaint: "no year", search: "" });
});
