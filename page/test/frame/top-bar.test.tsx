import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import type { OpenThread } from "../../src/client/open-thread.js";
import { windowTitle } from "../../src/frame/announcer.js";
import { TopBar } from "../../src/frame/top-bar.js";
import { listedState } from "../../src/threads/thread-state.js";
import type { Turn } from "../../src/turn/turn.js";
import { nothingDone } from "../no-turn.js";

const nothing = async () => {};
const sent = async () => true;
const newThread: OpenThread = {
  agent: "trips",
  turns: [],
  branches: [],
  hasOlder: false,
  loadOlder: nothing,
  loadWhole: nothing,
  ask: sent,
  stop: nothing,
  regenerate: nothing,
  goOn: nothing,
  answer: sent,
};
const turn = (number: number, workedMs: number): Turn => ({
  number,
  asked: `Question ${number}`,
  ...nothingDone,
  stopReason: "answered",
  workedMs,
});
const bar = (thread: Partial<OpenThread>) =>
  renderToStaticMarkup(<TopBar address={{}} thread={{ ...newThread, ...thread }} onKeys={() => {}} />).replace(
    /<[^>]+>/g,
    "|",
  );

it("shows the title of a thread, how it stands, and what it took", () => {
  const markup = bar({ id: "t", turns: [turn(1, 1400), turn(2, 600)] });
  for (const words of ["|Question 1|", "|Answered|", "|2 turns · 2.0 s|", "|Copy link|"])
    expect(markup).toContain(words);
});

it("says no time if older turns are not loaded", () => {
  expect(bar({ id: "t", turns: [turn(8, 1400)], hasOlder: true })).toContain("|8 turns|");
});

it("has no link to copy where a thread begins", () => {
  expect(bar({})).not.toContain("Copy link");
});

it.each([
  [undefined, undefined, "Glassloop"],
  ["Trains", undefined, "Trains – Glassloop"],
  ["Trains", listedState({ status: "waiting" }), "● waits for you – Trains"],
  ["Trains", listedState({ status: "failed" }), "● failed – Trains"],
  ["Trains", listedState({ status: "running" }), "running – Trains"],
])("says in the title of the window how %s stands", (title, state, expected) => {
  expect(windowTitle(title, state)).toBe(expected);
});
