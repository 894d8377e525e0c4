import { expect, it } from "vitest";
import { costText, count, counted, duration, money, share, timeOfDay } from "../src/turn/amounts.js";

it.each([
  [0, "0 ms"],
  [24.4, "24 ms"],
  [94.9, "95 ms"],
  [95, "0.1 s"],
  [404, "0.4 s"],
  [15_800, "15.8 s"],
  [59_949, "59.9 s"],
  [59_950, "1 min"],
  [90_000, "1.5 min"],
  [360_000, "6 min"],
  [59.4 * 60_000, "59 min"],
  [59.5 * 60_000, "1 h"],
  [5.4 * 3_600_000, "5.4 h"],
  [47 * 3_600_000, "47 h"],
  [72 * 3_600_000, "3 days"],
])("%s milliseconds are %s", (milliseconds, text) => {
  expect(duration(milliseconds)).toBe(text);
});

it.each([
  [0, "$0"],
  [0.00000012, "$0.00000012"],
  [0.00033, "$0.00033"],
  [0.0001, "$0.00010"],
  [0.0999, "$0.10"],
  [0.5, "$0.50"],
  [0.999, "$1.00"],
  [1, "$1.00"],
  [12.4, "$12.40"],
])("%s dollars are %s", (dollars, text) => {
  expect(money(dollars)).toBe(text);
});

it("marks a cost that is not wholly known, and tells none without a price", () => {
  const cost = { dollars: 0.00033, unpriced: [], isEstimate: false };
  expect(costText(cost)).toBe("$0.00033");
  expect(costText({ ...cost, isEstimate: true })).toBe("≈$0.00033");
  expect(costText({ ...cost, unpriced: ["qwen3:8b"] })).toBe("≈$0.00033");
  expect(costText({ ...cost, dollars: 0, unpriced: ["qwen3:8b"] })).toBeUndefined();
  expect(costText({ ...cost, dollars: 0 })).toBe("$0");
});

it("writes numbers, shares and numbers of things", () => {
  expect([count(2361), share(1, 0), share(384, 543), counted(1, "call"), counted(2000, "reply", "replies")]).toEqual([
    "2,361",
    "0 %",
    "71 %",
    "1 call",
    "2,000 replies",
  ]);
});

it("writes a time of this day alone, and others with their day", () => {
  const now = new Date(2026, 11, 3, 18, 0);
  const at = (...parts: [number, number, number, number, number]) => timeOfDay(new Date(...parts).toISOString(), now);
  expect(at(2026, 11, 3, 9, 5)).toBe("09:05");
  expect(at(2026, 11, 2, 14, 10)).toBe("2 Dec, 14:10");
  expect(at(2025, 11, 3, 14, 10)).toBe("3 Dec 2025, 14:10");
});
