import { expect, test } from "vitest";
import { documentsSentence, judgedCitations, passagesOf } from "../../src/step/judged.js";
import { noTurn } from "../no-turn.js";

const source = (passage: string) => ({ title: "Cubes", address: "cubes.md", passage });
const retrieval = {
  ...{ earlier: 0, retrievers: [], severalSearches: false, queries: [], searched: [], rounds: 2, rewrites: 1 },
  ...{ usedFallback: false, notes: null, draft: "", refined: 0, checks: 0, complaint: "" },
};
const search = { retriever: "documents", query: "cube", found: 2, after: 0 };
const answer = "It is fast, “3.05 s” [2]. Older [1]. Robots [7].";
const cited = (text: string, place: number | null, quotes: { isFound: boolean; foundIn: number | null }[] = []) => ({
  number: Number(text.slice(1, -1)),
  start: answer.indexOf(text),
  end: answer.indexOf(text) + text.length,
  source: place,
  quotes: quotes.map((quote) => ({ ...quote, start: answer.indexOf("“"), end: answer.indexOf("”") + 1 })),
});

/** A turn in which the second passage helps, and the first one was left out, as the second was in the search before. */
const turn = {
  ...noTurn,
  answer,
  searches: [search, search],
  citations: [
    cited("[2]", 1, [
      { isFound: true, foundIn: 1 },
      { isFound: false, foundIn: 0 },
      { isFound: false, foundIn: null },
    ]),
    cited("[1]", 0),
    cited("[7]", null),
  ],
  kept: {
    ...noTurn.kept,
    sources: [source("a"), source("b"), source("c")],
    retrieval: { ...retrieval, passages: [1], graded: 1, leftOut: [source("b"), source("a"), source("a")] },
  },
};

test("tells which passages help, and which were left out, each once", () => {
  expect(passagesOf(turn)).toEqual([
    { source: source("b"), number: 2, verdict: "helps" },
    { source: source("a"), verdict: "left out" },
  ]);
  expect(documentsSentence(turn)).toBe("2 searches found 2 passages: 1 helps and 1 was left out.");
});

test("has no verdict about passages that nobody graded", () => {
  const kept = { ...turn.kept, retrieval: { ...turn.kept.retrieval, graded: 0, leftOut: [] } };
  expect(passagesOf({ ...turn, kept })).toEqual([{ source: source("b"), number: 2 }]);
});

test("shows the sources of an agent that does not retrieve", () => {
  const { retrieval: _, ...kept } = turn.kept;
  expect(passagesOf({ ...turn, kept }).map(({ number }) => number)).toEqual([1, 2, 3]);
});

test("judges each citation and its quotes", () => {
  const judged = judgedCitations(turn);
  expect(judged.map(({ text, number, words }) => [text, number, words])).toEqual([
    ["It is fast, “3.05 s”", 2, "in this prompt"],
    ["Older", 1, "left out of this prompt"],
    ["Robots", 7, "no passage has this number"],
  ]);
  expect(judged[0]?.quotes.map(({ text, number, words }) => [text, number, words])).toEqual([
    ["“3.05 s”", 2, "stands in the passage"],
    ["“3.05 s”", 1, "stands in another passage"],
    ["“3.05 s”", undefined, "stands in no passage"],
  ]);
});
