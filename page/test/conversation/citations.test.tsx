import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { citationMarks, wrongCitations } from "../../src/conversation/citations.js";
import { Markdown } from "../../src/conversation/markdown/markdown.js";
import type { Turn } from "../../src/turn/turn.js";
import { turnWith } from "./turns.js";

const answer = "**3.05 s** [1, 2], “set in April” [2].";
const at = (words: string, from = 0) => {
  const start = answer.indexOf(words, from);
  return { start, end: start + words.length };
};
const quote = { ...at("“set in April”"), isFound: false, foundIn: null };
const turn: Turn = turnWith({
  answer,
  citations: [
    { number: 1, ...at("[1, 2]"), source: 0, quotes: [] },
    { number: 2, ...at("[1, 2]"), source: null, quotes: [] },
    { number: 2, ...at("[2]"), source: null, quotes: [quote] },
  ],
  citedSources: [{ number: 1, title: "Cubes", address: "cubes.md" }],
});

it("shows citations as links to their passages, wrong ones as such, and quotes that were not found", () => {
  const html = renderToStaticMarkup(<Markdown text={answer} marks={citationMarks(turn, "t")} />);
  expect(html.replaceAll(/ (?:title|aria-label|dir|href)="[^"]*"/g, "")).toBe(
    '<div class="markdown"><p><strong>3.05 s</strong> <a class="citation">1</a><a class="citation wrong">2</a>, ' +
      '<span class="quote-not-found">“set in April”</span> <a class="citation wrong">2</a>.</p></div>',
  );
  expect(html).toContain('href="#/threads/t?turn=1&amp;part=documents"');
  expect(html).toContain('aria-label="Source 1: Cubes: in this prompt"');
});

it("says what is wrong with citations, each once", () => {
  expect(wrongCitations(turn)).toBe("Not all citations hold: [2] no passage has this number.");
  expect(wrongCitations(turnWith())).toBeUndefined();
});
