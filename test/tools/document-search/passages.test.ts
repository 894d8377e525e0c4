import { describe, expect, it } from "vitest";
import { splitPassages } from "../../../src/tools/document-search/passages.js";

describe("splitPassages", () => {
  it("cuts Markdown at its headings, and keeps the path of headings", () => {
    const document =
      "Before.\n\n# One #\n\nFirst.\n\n### Deep\n\nSecond.\n\n## Two\nThird.\n\n# Empty\n\n# Four\n\nFourth.";
    expect(splitPassages(document, true)).toEqual([
      { headings: [], text: "Before." },
      { headings: ["One"], text: "First." },
      { headings: ["One", "Deep"], text: "Second." },
      { headings: ["One", "Two"], text: "Third." },
      { headings: ["Four"], text: "Fourth." },
    ]);
  });

  it("knows underlined headings and Windows line ends", () => {
    expect(splitPassages("One\r\n===\r\nFirst.\r\n\r\nTwo\r\n---\r\nSecond.\r\n\r\n---\r\nStill.", true)).toEqual([
      { headings: ["One"], text: "First." },
      { headings: ["One", "Two"], text: "Second.\n\n---\nStill." },
    ]);
  });

  it("takes nothing within a fence of code for a heading", () => {
    expect(
      splitPassages("# One\n\n```sh\n# comment\n```\n\n~~~~\n# more\n~~~\n# still\n~~~~\n\n# Two\n\nText.", true),
    ).toEqual([
      { headings: ["One"], text: "```sh\n# comment\n```\n\n~~~~\n# more\n~~~\n# still\n~~~~" },
      { headings: ["Two"], text: "Text." },
    ]);
  });

  it("leaves front matter out", () => {
    expect(splitPassages("---\ntitle: x\n---\n# One\n\nFirst.", true)).toEqual([{ headings: ["One"], text: "First." }]);
  });

  it("knows no headings in plain text", () => {
    expect(splitPassages("# One\n\nFirst.", false)).toEqual([{ headings: [], text: "# One\n\nFirst." }]);
  });

  it.each([
    ["paragraphs", Array.from({ length: 40 }, (_, n) => `Paragraph ${n} ${"word ".repeat(30)}.`).join("\n\n")],
    ["sentences", "A sentence of some words. ".repeat(400)],
    ["words", "word ".repeat(3000)],
    ["nothing to cut at", "x".repeat(10_000)],
    ["sentences without spaces", "三阶魔方的世界记录是三秒。".repeat(500)],
  ])("cuts long sections at %s, and loses nothing", (_, text) => {
    const passages = splitPassages(`# One\n\n${text}`, true);
    expect(passages.length).toBeGreaterThan(3);
    expect(Math.max(...passages.map((passage) => passage.text.length))).toBeLessThanOrEqual(1200);
    const letters = (whole: string) => whole.replace(/\s+/g, "");
    expect(letters(passages.map((passage) => passage.text).join(""))).toBe(letters(text));
  });

  it("takes its time in step with the length of the document", () => {
    const start = performance.now();
    splitPassages("# a\n---\n```\n".repeat(50_000), true);
    splitPassages(" ".repeat(500_000), true);
    splitPassages(`---\n${"x\n".repeat(200_000)}`, true);
    expect(performance.now() - start).toBeLessThan(5000);
  });
});
