import { describe, expect, it } from "vitest";
import { readVerdict } from "../../src/retrieval/nodes/check.js";
import { readNumbers, readQueryLines } from "../../src/retrieval/prompts/decisions.js";
import replies from "./fixtures/replies.json" with { type: "json" };

/**
 * Replies in several languages with what they say, in the forms that models write. The half `kept` was written when the readers were
 * done. A reply that is undecided is asked for again, so it costs a call. One that is misread costs the answer.
 */
const read = {
  verdicts: (reply: string) => {
    const verdict = readVerdict(reply);
    return verdict && verdict.complaint === "";
  },
  grades: (reply: string) => readNumbers(reply, [1, 2, 3]),
  queries: (reply: string) => readQueryLines(reply)[0],
};

describe.each(["seen", "kept"] as const)("replies that were %s", (half) => {
  it.each([
    ["verdicts", { seen: [4, 0], kept: [12, 0] }],
    ["grades", { seen: [5, 0], kept: [5, 1] }],
    ["queries", { seen: [0, 0], kept: [0, 2] }],
  ] as const)("have %s, of which few are undecided or misread", (kind, most) => {
    const made = replies[half][kind].map(([reply, says]) => ({ said: read[kind](String(reply)), says }));
    const undecided = made.filter(({ said }) => said === undefined);
    const misread = made.filter(
      ({ said, says }) => said !== undefined && JSON.stringify(said) !== JSON.stringify(says),
    );
    expect([undecided.length, misread.length]).toEqual(most[half]);
  });
});

it("a verdict has what is wrong, and the query for what is missing", () => {
  const verdict = '{"right": false, "why": "no year", "search": "the year"}';
  expect(readVerdict(verdict)).toEqual({ complaint: "no year", search: "the year" });
  expect(readVerdict("NO: no year")).toEqual({ complaint: "no year", search: "" });
});
