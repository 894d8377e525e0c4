import { expect, test } from "vitest";
import { bounded, thoseThatFit } from "../../../src/server/wire/bounded.js";

test.each([
  ["a small object", { a: ["b", 1, null, { c: true }] }],
  ["a long text", { a: "b".repeat(400_000) }],
  ["many texts", { a: Array.from({ length: 1000 }, () => "ä".repeat(1000)) }],
  ["characters of two halves", { a: `b${"😀".repeat(200_000)}` }],
  ["many numbers", { a: Array.from({ length: 400_000 }, (_, n) => n), b: 1 }],
  ["many fields", Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`field ${n}`, [n]]))],
])("%s has a largest size, and what is left of it is its beginning", (_, value) => {
  const { json, bytes } = bounded(value);
  const text = JSON.stringify(json);
  expect(bytes).toBeLessThan(330_000);
  expect(Buffer.byteLength(text)).toBeLessThan(1.5 * bytes);
  const isWhole = JSON.stringify(value).length < 1000;
  expect("cut" in json).toBe(!isWhole);
  expect(JSON.stringify(value).slice(0, 100)).toBe(text.slice(0, 100));
  // JSON writes half a character as its number.
  expect(text).not.toMatch(/\\ud[89a-f]/);
});

test("a page has the first items that fit, and at least one", () => {
  expect(thoseThatFit([100_000, 100_000, 100_000, 1], (bytes) => bytes)).toEqual([100_000, 100_000]);
  expect(thoseThatFit([900_000, 1], (bytes) => bytes)).toEqual([900_000]);
  expect(thoseThatFit([1, 2], (bytes) => bytes)).toEqual([1, 2]);
});
