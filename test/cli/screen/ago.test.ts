import { expect, test } from "vitest";
import { ago } from "../../../src/cli/screen/thread-lines.js";

const time = "2026-11-22T10:00:00.000Z";

test.for<[number, string]>([
  [-5, "just now"],
  [0, "just now"],
  [59, "just now"],
  [60, "1 minute ago"],
  [3_599, "59 minutes ago"],
  [7_200, "2 hours ago"],
  [86_400, "yesterday"],
  [6.9 * 86_400, "6 days ago"],
])("a time is shown after %d s as: %s", ([seconds, words]) => {
  expect(ago(time, Date.parse(time) + seconds * 1_000)).toBe(words);
});

test("A time of a week ago is shown as a date", () => {
  expect(ago(time, Date.parse(time) + 7 * 86_400_000)).toMatch(/^2026-11-2\d \d\d:00$/);
});
