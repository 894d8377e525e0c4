import { expect, test } from "vitest";
import { bounded } from "../../../src/server/wire/bounded.js";
import { Page } from "../../../src/server/wire/page.js";

test.each([
  ["a small object", { a: ["b", 1, null, { c: true }] }],
  ["a long text", { a: "b".repeat(400_000) }],
  ["many texts", { a: Array.from({ length: 1000 }, () => "ä".repeat(1000)) }],
  ["characters of two halves", { a: `b${"😀".repeat(200_000)}` }],
  ["many numbers", { a: Array.from({ length: 400_000 }, (_, n) => n), b: 1 }],
  ["a deep list", { a: JSON.parse("[".repeat(500) + "]".repeat(500)) }],
  ["many deep lists", { a: Array.from({ length: 500 }, () => JSON.parse(`${"[".repeat(100)}${"]".repeat(100)}`)) }],
  ["deep objects", { a: JSON.parse(`${'{"a":'.repeat(500)}1${"}".repeat(500)}`) }],
  ["many fields", Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`field ${n}`, [n]]))],
])("%s has a largest size, and what is left of it is its beginning", (_, value) => {
  const { json, bytes } = bounded(value);
  const text = JSON.stringify(json);
  expect(bytes).toBeLessThan(330_000);
  expect(Buffer.byteLength(text)).toBeLessThan(1.5 * bytes);
  const isWhole = JSON.stringify(value).length < 1000;
  expect("cut" in json).toBe(!isWhole);
  expect(JSON.stringify(value).slice(0, 60)).toBe(text.slice(0, 60));
  // JSON writes half a character as its number.
  expect(text).not.toMatch(/\\ud[89a-f]/);
});

test.each([
  [[100_000, 100_000, 100_000, 1], 2],
  [[900_000, 1], 1],
  [[1, 2], 2],
])("of items with %j bytes a page of 256,000 has the first %i, and at least one", (sizes, count) => {
  const page = new Page<number>(10, 256_000);
  expect(sizes.every((bytes) => page.add(bytes, bytes))).toBe(!page.isCut);
  expect(page.items).toEqual(sizes.slice(0, count));
});
