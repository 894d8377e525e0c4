import { describe, expect, it } from "vitest";
import { bestSentence } from "../../../src/model/offline/best-sentence.js";

const bridges = `[1] bridges.md, Tallest bridge
The tallest bridge in the world is the Millau Viaduct, with 336 metres. It was opened in 2004.

[2] bridges.md, Longest bridge
Before 2011, the Tianjin Grand Bridge was the longest bridge. The longest bridge is the Danyang Grand Bridge,
built by the China Railway Construction, with a length of
164.8 km.

[3] bridges.md, Materials
- Steel is used for most bridges.
- Wood is used for the oldest bridges.`;

describe("bestSentence", () => {
  it.each([
    [
      "What is the tallest bridge in the world?",
      "The tallest bridge in the world is the Millau Viaduct, with 336 metres.",
    ],
    ["How long is the longest bridge?", /^The longest bridge is the Danyang Grand Bridge, built by .* of 164\.8 km\.$/],
    ["Who built the longest bridge?", /Danyang/],
    ["When was the tallest bridge opened?", /Millau Viaduct.* It was opened in 2004\.$/],
    ["What is used for the oldest bridges?", "Wood is used for the oldest bridges."],
  ])("answers %j", (question, answer) => {
    expect(bestSentence(bridges, question)).toMatch(answer);
  });

  it.each([
    "Who is the president of the world?",
    "How heavy is a blue whale?",
    "Who opened a bakery in Millau?",
    "When did the wooden bridges burn?",
    "the a of",
  ])("has no answer to %j", (question) => {
    expect(bestSentence(bridges, question)).toBeUndefined();
  });

  it("takes no complaint of a search tool for an answer, though it repeats the question", () => {
    const nothing =
      'No passage of the 8 documents has any of the words of "capital of Mongolia". Search for other words.';
    expect(bestSentence(nothing, "What is the capital of Mongolia?")).toBeUndefined();
    expect(bestSentence("", "What is the capital of Mongolia?")).toBeUndefined();
  });

  it("takes the answer that a search engine gives by itself", () => {
    const results = "[1] Robots (https://example.org/a)\nA robot solved a cube in half a second, or 0.5 seconds.";
    const answer = "0.38 seconds (https://example.org/b)";
    expect(bestSentence(`${answer}\n\n${results}`, "How fast can a robot solve a cube?")).toBe(answer);
    expect(bestSentence(answer, "How fast can a robot solve a cube?")).toBe(answer);
    expect(bestSentence(results, "How fast can a robot solve a cube?")).toBe(
      "A robot solved a cube in half a second, or 0.5 seconds.",
    );
    const nothing = 'SearXNG found nothing for "robot cube". Search with other words.';
    expect(bestSentence(nothing, "robot cube")).toBeUndefined();
  });

  it("does not end a sentence at an initial or a title", () => {
    const text = "[1] a.md, Film\nThe film was made by Robert Downey Jr. and J. Smith in 2008. It won prizes.";
    expect(bestSentence(text, "Who made the film?")).toBe(
      "The film was made by Robert Downey Jr. and J. Smith in 2008.",
    );
  });

  it("ends a sentence after a unit", () => {
    const text = "[1] a.md, Oslo\nThe high temperature in Oslo was 54 °F. The low temperature in Oslo was 40 °F.";
    expect(bestSentence(text, "What was the high temperature in Oslo?")).toBe(
      "The high temperature in Oslo was 54 °F.",
    );
  });
});
