import { expect, test } from "vitest";
import { ThreadCaches } from "../../../src/threads/values/cache.js";

test("the caches of the threads used longest ago are dropped, also if they are almost empty", () => {
  const caches = new ThreadCaches(20_000);
  const first = caches.of("0", "");
  for (let thread = 1; thread < 100; thread += 1) caches.of(String(thread), "");
  const last = caches.of("99", "");
  caches.shrink();
  expect(caches.of("99", "")).toBe(last);
  expect(caches.of("0", "")).not.toBe(first);
});

test.each([
  ["checkpoints", (cache: ReturnType<ThreadCaches["of"]>, id: number) => cache.addCheckpoint(String(id), { a: 1 })],
  ["versions", (cache: ReturnType<ThreadCaches["of"]>, id: number) => cache.addVersion("a", id, { kind: "absent" })],
  [
    "long texts",
    (cache: ReturnType<ThreadCaches["of"]>, id: number) => cache.texts.nameOf(`${id} ${"x".repeat(10_000)}`),
  ],
])("%s count for the size of a cache", (_name, add) => {
  const caches = new ThreadCaches(20_000);
  const cache = caches.of("t", "");
  caches.shrink();
  expect(caches.of("t", "")).toBe(cache);
  for (let id = 0; id < 100; id += 1) add(cache, id);
  caches.shrink();
  expect(caches.of("t", "")).not.toBe(cache);
});

test("a thread that was pruned since it was read is forgotten, with all its namespaces", () => {
  const caches = new ThreadCaches();
  caches.forgetPruned("t", 1);
  const [main, inner] = [caches.of("t", ""), caches.of("t", "inner")];
  caches.forgetPruned("t", 1);
  expect([caches.of("t", ""), caches.of("t", "inner")]).toEqual([main, inner]);
  expect(caches.of("t", "inner")).toBe(inner);
  caches.forgetPruned("t", 2);
  expect(caches.of("t", "")).not.toBe(main);
  expect(caches.of("t", "inner")).not.toBe(inner);
});

test("an object belongs to the cache that saw it last, until its thread is dropped", () => {
  const caches = new ThreadCaches();
  const message = { text: "shared" };
  const entry = { reference: '"a"', serialized: { type: "json", content: '"shared"' } };
  caches.of("one", "").addEntry(message, entry);
  expect(caches.of("one", "").entryOf(message)).toBe(entry);
  expect(caches.of("two", "").entryOf(message)).toBeUndefined();
  caches.of("two", "").addEntry(message, entry);
  expect(caches.of("two", "").entryOf(message)).toBe(entry);
  expect(caches.of("one", "").entryOf(message)).toBeUndefined();
  caches.forget("two");
  expect(caches.of("two", "").entryOf(message)).toBeUndefined();
});
