import { describe, expect, it } from "vitest";
import { cutDocument as cut } from "../../../src/documents/index/passage-cutter.js";
import { growth } from "../../helpers/processor-time.js";

describe("cutDocument", () => {
  it("cuts Markdown at its headings, and keeps the path of headings", () => {
    const document =
      "Before.\n\n# One #\n\nFirst.\n\n### Deep\n\nSecond.\n\n## Two\nThird.\n\n# Empty\n\n# Four\n\nFourth.";
    expect(cut(document, true)).toEqual([
      { headings: [], text: "Before." },
      { headings: ["One"], text: "First." },
      { headings: ["One", "Deep"], text: "Second." },
      { headings: ["One", "Two"], text: "Third." },
      // A heading with nothing below it can be found, too.
      { headings: ["Empty"], text: "Empty" },
      { headings: ["Four"], text: "Fourth." },
    ]);
  });

  it("reads underlined headings and Windows line ends", () => {
    expect(cut("One\r\n===\r\nFirst.\r\n\r\nTwo\r\n---\r\nSecond.\r\n\r\n---\r\nStill.", true)).toEqual([
      { headings: ["One"], text: "First." },
      { headings: ["One", "Two"], text: "Second.\n\n---\nStill." },
    ]);
  });

  it("reads no heading within a code fence, and leaves code unchanged", () => {
    expect(cut("# One\n\n```sh\n# comment\n```\n\n~~~~\na\n---\n~~~\n# still\n~~~~\n\n# Two\n\nText.", true)).toEqual([
      { headings: ["One"], text: "```sh\n# comment\n```\n\n~~~~\na\n---\n~~~\n# still\n~~~~" },
      { headings: ["Two"], text: "Text." },
    ]);
  });

  it("leaves front matter out, unless it has no end", () => {
    for (const front of ["---\ntitle: x\n---", "+++\ntitle = 'x'\n+++"])
      expect(cut(`${front}\n# One\n\nFirst.`, true)).toEqual([{ headings: ["One"], text: "First." }]);
    expect(cut("---\ntitle: x", true)).toEqual([{ headings: [], text: "---\ntitle: x" }]);
  });

  it.each([
    ["Deep watchers {#deep-watchers}", "Deep watchers"],
    ["<Badge text='^3.3' /> Props <sup>new</sup>", "Props new"],
    ["The `<slot>` of `{#each}`", "The `<slot>` of `{#each}`"],
    ["Vec<T>, {{ value }} and <https://example.org/>", "Vec<T>, {{ value }} and <https://example.org/>"],
    ["Hooks <br><Badge>new</Badge><Badge/> <a id='x'>", "Hooks new"],
    ["Lists {#each items} {#lists}", "Lists {#each items}"],
    ["Two [](#two)", "Two"],
    ['C# [\u200b](#c "Direct link to C#") {#c}', "C#"],
    ["[Two](#two)", "[Two](#two)"],
    ["<Badge/>", "<Badge/>"],
  ])("shows the heading %s as %s", (heading, shown) => {
    const passages = [{ headings: [shown], text: `Text {#if}, <b>bold</b>.` }];
    expect(cut(`## ${heading}\n\nText {#if}, <b>bold</b>.`, true)).toEqual(passages);
    expect(cut(`${heading}\n---\n\nText {#if}, <b>bold</b>.`, true)).toEqual(passages);
  });

  it("reads no headings in plain text", () => {
    expect(cut("# One\n\nFirst.", false)).toEqual([{ headings: [], text: "# One\n\nFirst." }]);
  });

  it.each([
    ["paragraphs", Array.from({ length: 40 }, (_, n) => `Paragraph ${n} ${"word ".repeat(30)}.`).join("\n\n")],
    ["sentences", "A sentence of some words. ".repeat(400)],
    ["words", "word ".repeat(3000)],
    ["nothing to cut at", "x".repeat(10_000)],
    ["sentences without spaces", "三阶魔方的世界记录是三秒。".repeat(500)],
  ])("cuts long sections at %s, and loses nothing", (_, text) => {
    const passages = cut(`# One\n\n${text}`, true);
    expect(passages.length).toBeGreaterThan(3);
    expect(Math.max(...passages.map((passage) => passage.text.length))).toBeLessThanOrEqual(1200);
    const letters = (whole: string) => whole.replace(/\s+/g, "");
    expect(letters(passages.map((passage) => passage.text).join(""))).toBe(letters(text));
  });

  it("treats a line of more than 300 characters as text", () => {
    const long = "word ".repeat(80).trim();
    expect(cut(`# ${long}\nText.`, true)).toEqual([{ headings: [], text: `# ${long}\nText.` }]);
    expect(cut(`${long}\n===\nText.`, true)).toEqual([{ headings: [], text: `${long}\n===\nText.` }]);
  });

  it("removes hashes at the end of a heading only after a space", () => {
    const cutLines = ["# C#", "## F# ##", "### ###", "# #1"].map((line) => cut(`${line}\nText.`, true)[0]);
    expect(cutLines.map((passage) => passage?.headings.at(-1))).toEqual(["C#", "F#", "", "#1"]);
  });

  it.each([
    ["blanks in a heading", (n: number) => `# a${" ".repeat(n)}b`],
    ["blanks in short headings", (n: number) => `# a${" ".repeat(290)}b\n`.repeat(n / 300)],
    ["hashes in a heading", (n: number) => `# a ${"#".repeat(n)}b`],
    ["fences", (n: number) => "```\n".repeat(n / 4)],
    ["a long fence", (n: number) => `${"`".repeat(n / 2)}\n${"```\n".repeat(n / 8)}`],
    ["headings, underlines and fences", (n: number) => "# a\n---\n```\n".repeat(n / 12)],
    ["lines of blanks", (n: number) => "\n \t".repeat(n / 3)],
    ["front matter without an end", (n: number) => `---\n${"x\n".repeat(n / 2)}`],
  ])("takes linear time for %s", async (_, make) => {
    expect(await growth((length) => cut(make(length), true), 12_000)).toBeLessThan(1.5);
  });
});
