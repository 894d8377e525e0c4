import { expect, it } from "vitest";
import { listRows } from "../../src/threads/list-rows.js";
import type { ListedThread } from "../../src/wire.js";

const now = new Date(2026, 10, 29, 10);
const thread = (id: string, at: Date, status: ListedThread["status"] = "idle"): ListedThread => ({
  id,
  createdAt: at.toISOString(),
  updatedAt: at.toISOString(),
  turns: 1,
  status,
  metadata: {},
});
const shown = (threads: readonly ListedThread[]) =>
  listRows(threads, now).map((row) => ("head" in row ? row.head : row.thread.id));

it("puts what waits first, then groups by day", () => {
  expect(
    shown([
      thread("a", new Date(2026, 10, 29, 9)),
      thread("b", new Date(2026, 10, 29, 0, 1), "running"),
      thread("c", new Date(2026, 10, 28, 23, 59)),
      thread("d", new Date(2026, 10, 28, 8), "waiting"),
      thread("e", new Date(2026, 10, 27, 8)),
      thread("f", new Date(2025, 2, 3, 8), "waiting"),
      thread("g", new Date(2025, 2, 3, 7)),
    ]),
  ).toEqual([
    "Waits for you · 2",
    ...["d", "f"],
    "Today",
    ...["a", "b"],
    "Yesterday",
    "c",
    "27 November",
    "e",
    "3 March 2025",
    "g",
  ]);
});

it("has no head without threads", () => {
  expect(shown([])).toEqual([]);
});
