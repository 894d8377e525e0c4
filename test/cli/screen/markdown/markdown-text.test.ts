import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import { markdownText } from "../../../../src/cli/screen/markdown/markdown-text.js";
import { growth } from "../../../helpers/processor-time.js";

const plain = picocolors.createColors(false);
const coloured = picocolors.createColors(true);

/** Shows a text that comes in pieces. Returns what each piece showed, and the end. */
function shown(pieces: readonly string[], { label = "", columns = 80, colours = plain } = {}): string[] {
  const stream = markdownText(label, colours, columns);
  return [...pieces.map((piece) => stream.push(piece)), stream.end()];
}

const whole = (text: string, options = {}) => shown([text], options).join("");

describe("Markdown on a terminal", () => {
  test.for<[string, string, string]>([
    ["a paragraph", "One\ntwo", "One\ntwo\n"],
    ["marks", "**a** *b* ~~c~~ `d`", "a b c d\n"],
    ["a heading", "## Title\nText", "Title\n\nText\n"],
    ["a list", "- one\n- two\n  1. three\n  2. four", "• one\n• two\n  1. three\n  2. four\n"],
    ["a list that begins later", "7. seven\n8. eight", "7. seven\n8. eight\n"],
    ["tasks", "- [x] done\n- [ ] open", "• [x] done\n• [ ] open\n"],
    ["tasks with space between", "- [x] done\n\n- [ ] open", "• [x] done\n\n• [ ] open\n"],
    ["code", "```js\nconst a = 1;\n\n  b(**c**)\n```", "    const a = 1;\n    \n      b(**c**)\n"],
    ["a quote", "> one\n> two", "│ one\n│ two\n"],
    ["a link", "See [the page](http://a.example/b)", "See the page (http://a.example/b)\n"],
    ["citations", "Cats sleep [1][2].\n\n[1]: http://a.example", "Cats sleep [1][2].\n\n[1]: http://a.example\n"],
    ["characters with names", "1 &lt; 2 &amp; 3 &copy;", "1 < 2 & 3 &copy;\n"],
    ["HTML, which is text here", "<b>a</b>\n\n<script>x</script>", "<b>a</b>\n\n<script>x</script>\n"],
    ["products, which are no emphasis", "2*3*4 and 2**3**4", "2*3*4 and 2**3**4\n"],
    ["a picture", "![cat](http://a.example/c.png)", "cat (http://a.example/c.png)\n"],
    ["a line", "a\n\n---\n\nb", `a\n\n${"─".repeat(40)}\n\nb\n`],
    ["a break", "a  \nb", "a\nb\n"],
    ["a mark that is none", "\\*a\\*", "*a*\n"],
    ["nothing", "", ""],
  ])("shows %s", ([, text, expected]) => expect(whole(text)).toBe(expected));

  test("aligns the columns of a table, also with wide letters", () => {
    expect(whole("| who | time |\n|:--|--:|\n| 耿暄一 | 3.05 |\n| Max | 13.13 |")).toBe(
      ["who      time", "──────  ─────", "耿暄一   3.05", "Max     13.13", ""].join("\n"),
    );
  });

  test("shows a table that is too wide as a list", () => {
    const text = "| who | time |\n|---|---|\n| Xuanyi Geng | 3.05 |\n| Max | 3.13 |";
    expect(whole(text, { columns: 15 })).toBe("who: Xuanyi Geng\ntime: 3.05\n\nwho: Max\ntime: 3.13\n");
  });

  test("has the label on the line of a paragraph, and above any other block", () => {
    expect(whole("Four.", { label: "Answer:" })).toBe("Answer: Four.\n");
    expect(whole("- four", { label: "Answer:" })).toBe("Answer:\n• four\n");
  });

  test("shows each block when no later line can change it", () => {
    expect(shown(["One", " two.\n", "three.\n", "\n- a\n\n", "- b\n", "\nEnd", ".\n\n"])).toEqual([
      "",
      "",
      "",
      "One two.\nthree.\n",
      "",
      "",
      "\n• a\n\n• b\n\nEnd.\n",
      "",
    ]);
  });

  test("is the same in pieces of any length", () => {
    const text =
      "# T\n\nOne **two\nthree**.\n\n1. a\n   - b\n\n2. c\n\n| x |\n|---|\n| y |\n\n```\na\n\nb\n```\n> q\n\nend\r\n";
    for (const length of [1, 2, 3, 7, 1_000]) {
      const pieces = Array.from({ length: Math.ceil(text.length / length) }, (_, n) =>
        text.slice(n * length, (n + 1) * length),
      );
      expect(shown(pieces).join("")).toBe(whole(text));
    }
  });

  test("cannot change the terminal", () => {
    const hostile =
      "a\u001b[2Jb `c\u0007\u009b31m`\n\n```\n\u001b]0;title\u0007\n```\n[\u001b[1m](\u001b[2m) &#27;[3m ![&#27;](a&#27;b)";
    expect(whole(hostile)).not.toMatch(/[^\P{Cc}\n]/u);
    expect(whole("**a**", { colours: coloured })).toBe("\u001b[1ma\u001b[22m\n");
  });

  test("shows a block as it is if it has more than 10,000 characters or too many levels", () => {
    const long = "**a** ".repeat(2_000);
    expect(whole(long)).toBe(`${long.trim()}\n`);
    for (const mark of ["> ", "- "]) expect(whole(mark.repeat(4_500)).length).toBeGreaterThan(0);
  });

  test("takes time in proportion to the length of a block that comes line by line", async () => {
    expect(await growth((length) => shown(Array(length).fill("_a\n")), 400)).toBeLessThan(1.5);
  });
});
