import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { ThreadRow } from "../../src/threads/thread-row.js";
import type { ListedThread } from "../../src/wire.js";

const at = new Date(2026, 10, 29, 14, 10).toISOString();
const thread: ListedThread = {
  id: "a/b",
  createdAt: at,
  updatedAt: at,
  turns: 1,
  status: "idle",
  stopReason: "answered",
  title: "What is 6 * 7?",
  graph: "trips",
  cost: { dollars: 0.00092, unpriced: [], isEstimate: false },
  metadata: {},
};
const row = (fields: Partial<ListedThread>, isChosen = false) =>
  renderToStaticMarkup(
    <ThreadRow thread={{ ...thread, ...fields }} isChosen={isChosen} isTabStop={isChosen} onKeyDown={() => {}} />,
  );
const words = (markup: string) =>
  markup
    .replace(/<[^>]+>/g, " ")
    .trim()
    .split(/\s{2,}/);

it("shows the title, the agent, the time and the money, and links to the thread", () => {
  expect(words(row({}))).toEqual(["What is 6 * 7?", "trips", "14:10", "$0.00092"]);
  expect(row({})).toContain('href="#/threads/a%2Fb"');
});

it.each<[Partial<ListedThread>, string, string | undefined]>([
  [{ stopReason: "tool-call-limit" }, "at a limit", "person"],
  [{ status: "failed" }, "failed", "bad"],
  [{ status: "running" }, "running", "plain"],
  [{ status: "waiting", waiting: [{ type: "interrupt", interrupt: "i", value: "?" }] }, "a question waits", "person"],
])("says instead of the agent how it stands, if it is not answered: %o", (fields, says, tone) => {
  expect(words(row(fields))[1]).toBe(says);
  expect(row(fields)).toContain(`data-tone="${tone}"`);
});

it("is marked and can be reached by Tab if it is chosen", () => {
  expect(row({}, true)).toContain('aria-current="true" tabindex="0"');
  expect(row({})).toContain('tabindex="-1"');
  expect(row({})).not.toContain("aria-current");
});

it("shows what a person wrote as text, in its own direction", () => {
  expect(row({ title: "<b>\u202e</b>" })).toContain('<bdi class="thread-title">&lt;b&gt;\u202e&lt;/b&gt;</bdi>');
});

it("shows the last question of a thread without a title, and no money where none was spent", () => {
  expect(words(row({ title: undefined, lastQuestion: "And 7 * 8?" }))[0]).toBe("And 7 * 8?");
  expect(words(row({ title: undefined }))[0]).toBe("Without a question");
  expect(words(row({ cost: { dollars: 0, unpriced: [], isEstimate: false } }))).toHaveLength(3);
});
