import { expect, test } from "vitest";
import { type Mark, marksOfInputs, marksOfTexts } from "../../src/step/marks.js";

const signs = { same: "", removed: "-", added: "+" };
const written = (marks: readonly Mark[]) => marks.map(({ kind, text }) => `${signs[kind]}${text}`).join("|");

test.each([
  ["equal texts", "one two", "one two", "one two"],
  [
    "a word in a sentence",
    "Refund the whole amount now",
    "Refund the half amount now",
    "Refund the |-whole|+half| amount now",
  ],
  [
    "words of which less than half agree",
    "one two three four",
    "one five six seven eight",
    "-one two three four|+one five six seven eight",
  ],
  ["a number", "89.9", "44.95", "-89.9|+44.95"],
  ["a text that is new", "", "no", "+no"],
  ["a text that is gone", "yes", "", "-yes"],
])("marks %s", (_, before, now, expected) => {
  expect(written(marksOfTexts(before, now))).toBe(expected);
});

test("marks the fields of an input one by one", () => {
  const before = { order: 1042, amount: 89.9, old: true };
  const now = { order: 1042, amount: 44.95, notify: "no" };
  expect(written(marksOfInputs(before, now))).toBe(
    "order: |1042|\namount: |-89.9|+44.95|\nnotify: |+no|-\nold: |-true",
  );
});

test("compares an input that is a text as one", () => {
  expect(written(marksOfInputs("2+2", { expression: "2+3" }))).toBe('-2+2|+{"expression":"2+3"}');
});

test("does not look for what two long texts share", () => {
  const [before, now] = ["a ".repeat(500_000), `${"a ".repeat(499_999)}b `];
  expect(marksOfTexts(before, now).map(({ kind }) => kind)).toEqual(["removed", "added"]);
});
