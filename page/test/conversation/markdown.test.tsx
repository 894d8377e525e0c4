import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it, vi } from "vitest";
import { BlockReader } from "../../src/conversation/markdown/block-reader.js";
import { Markdown } from "../../src/conversation/markdown/markdown.js";
import { type Mark, MarkedText } from "../../src/conversation/markdown/marked-text.js";
import * as lexer from "../../src/conversation/markdown/safe-lexer.js";

const html = (text: string, marks?: readonly Mark[]) =>
  renderToStaticMarkup(<Markdown text={text} {...(marks && { marks })} />)
    .replace(/^<div class="markdown">(.*)<\/div>$/s, "$1")
    .replaceAll(' dir="auto"', "");

describe("Markdown", () => {
  it.each([
    ["**a** *b* ~~c~~ `d`", "<p><strong>a</strong> <em>b</em> <del>c</del> <code>d</code></p>"],
    ["# a\n## b\n#### c", "<h3>a</h3><h4>b</h4><h5>c</h5>"],
    ["1 &lt; 2 &amp;&amp; 3", "<p>1 &lt; 2 &amp;&amp; 3</p>"],
    ["- a\n- b\n  1. c", '<ul><li>a</li><li>b<ol start="1"><li>c</li></ol></li></ul>'],
    ["7. a", '<ol start="7"><li>a</li></ol>'],
    ["- [x] a", '<ul><li class="task"><input type="checkbox" disabled="" aria-label="done" checked=""/>a</li></ul>'],
    ["> a", "<blockquote><p>a</p></blockquote>"],
    ["a\\\nb", "<p>a<br/>b</p>"],
    ["---", "<hr/>"],
    [
      "[a](https://b.c)",
      '<p><a href="https://b.c" target="_blank" rel="noopener noreferrer" title="https://b.c">a</a></p>',
    ],
    ["", ""],
  ])("shows %j as elements", (text, expected) => expect(html(text)).toBe(expected));

  it("shows a table, with its alignment, and cells that have Markdown", () => {
    expect(html("| a | b |\n|:-|-:|\n| **1** | `2` |")).toBe(
      '<section class="wide-table" tabindex="0" aria-label="Table"><table><thead><tr><th data-align="left">a</th>' +
        '<th data-align="right">b</th></tr></thead><tbody><tr><td data-align="left"><strong>1</strong></td>' +
        '<td data-align="right"><code>2</code></td></tr></tbody></table></section>',
    );
  });

  it("shows code as it is, also code that has no end yet", () => {
    expect(html("```js\na < b;\n**c**")).toMatch(
      /<span class="muted">js<\/span>.*<pre[^>]*>a &lt; b;\n\*\*c\*\*<\/pre>/s,
    );
  });

  it.each([
    ["<script>alert(1)</script>", /^<p>&lt;script&gt;alert\(1\)&lt;\/script&gt;<\/p>$/],
    ['a <img src=x onerror="alert(1)"> b', /^<p>a &lt;img src=x onerror=&quot;alert\(1\)&quot;&gt; b<\/p>$/],
    ["<div>\n\n**a**\n\n</div>", /^<p>&lt;div&gt;\n*<\/p><p><strong>a<\/strong><\/p><p>&lt;\/div&gt;<\/p>$/],
    ["[a](javascript:alert(1))", /^<p>a <span class="muted">\(javascript:alert\(1\)\)<\/span><\/p>$/],
    ["[a](data:text/html,b)", /^<p>a <span class="muted">/],
    ["[a](//b.c)", /^<p>a <span class="muted">/],
    ["[a](JaVaScRiPt&colon;alert(1))", /^<p>a <span class="muted">/],
    ["[a]\n\n[a]: vbscript:b", /^<p>\[a\]<\/p><p>\[a\]: vbscript:b<\/p>$/],
    ["<javascript:alert(1)>", /^<p>(?!.*href)/],
    ["![a](https://b.c/d.png)", /^<p><a href="https:\/\/b\.c\/d\.png" [^>]*>picture: a<\/a><\/p>$/],
    ["![a](data:text/html;base64,YQ==)", /^<p>picture: a <span class="muted">/],
  ])("makes nothing that runs or leaves of %j", (text, expected) => expect(html(text)).toMatch(expected));

  it.each([
    "a",
    "*a ",
    "_a",
    "__a_ ",
    "[",
    "[a](",
    "![",
    "`a ",
    "|",
    "> ",
    ">",
    "- ",
    "- a\n",
    "1. ",
    "<a ",
    "<!--",
    "&",
    "\\",
  ])("shows 1 MB of %j, its beginning at once", (part) => {
    const started = performance.now();
    expect(html(part.repeat(1_000_000 / part.length))).toContain("Show all");
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it("leaves what is nested too deep as text", () => {
    const shown = html(`${"> ".repeat(40)}a`);
    expect(shown.match(/<blockquote>/g)?.length).toBeLessThan(20);
    expect(shown).toContain("&gt; a");
  });

  it("shows a picture of the text itself, and reads the text without its bytes", () => {
    const picture = `data:image/png;base64,${"A".repeat(100_000)}`;
    expect(html(`**a** ![cat](${picture})`)).toBe('<p><strong>a</strong> <span class="muted">[cat]</span></p>');
  });
});

describe("Marks", () => {
  const cite = (text: string, words: string): Mark => {
    const start = text.indexOf(words);
    return { start, end: start + words.length, instead: <a href="#1">1</a> };
  };
  const quote = (text: string, words: string): Mark => {
    const start = text.indexOf(words);
    return { start, end: start + words.length, around: { className: "q", title: "t" } };
  };

  it.each([
    ["a [1].", '<p>a <a href="#1">1</a>.</p>'],
    ["**a**[1]", '<p><strong>a</strong><a href="#1">1</a></p>'],
    ["_a_[1] b", '<p><em>a</em><a href="#1">1</a> b</p>'],
    ["**a [1]** b", '<p><strong>a <a href="#1">1</a></strong> b</p>'],
    ["**“a”**[1]", '<p><strong>“a”</strong><a href="#1">1</a></p>'],
    ["[1] a", '<p><a href="#1">1</a> a</p>'],
    ["- a [1]\r\n- b", '<ul><li>a <a href="#1">1</a></li><li>b</li></ul>'],
    ["`a [1]`", "<p><code>a [1]</code></p>"],
    ["```\na [1]\n```", /<pre[^>]*>a \[1\]<\/pre>/],
    ["[1]: b", '<p><a href="#1">1</a>: b</p>'],
    ["a [1]\n\n[1]: https://b.c", /^<p>a <a href="#1">1<\/a><\/p>/],
    ["\ue0000\ue000 [1]", '<p>\ue0000\ue000 <a href="#1">1</a></p>'],
  ])("stand in %j in place of their words", (text, expected) => {
    const shown = html(text, [cite(text, "[1]")]);
    if (typeof expected === "string") expect(shown).toBe(expected);
    else expect(shown).toMatch(expected);
  });

  it.each([
    ["a “b c” d", '<p>a <span class="q" title="t">“b c”</span> d</p>'],
    [
      "a “b **c**” d",
      '<p>a <span class="q" title="t">“b </span><strong><span class="q" title="t">c</span></strong><span class="q" title="t">”</span> d</p>',
    ],
    ["_“b c”_ d", '<p><em><span class="q" title="t">“b c”</span></em> d</p>'],
    ["“b c”", '<p><span class="q" title="t">“b c”</span></p>'],
  ])("stand in %j around their words", (text, expected) => {
    expect(html(text, [quote(text, /“.*”/.exec(text)?.[0] ?? "")])).toBe(expected);
  });

  it.each([
    [-1, 1],
    [1, 1],
    [0, 99],
  ])("that do not fit the text are left out: %i to %i", (start, end) => {
    expect(new MarkedText("abc", [{ start, end, instead: null }]).text).toBe("abc");
  });
});

describe("A text that grows", () => {
  const text = "# a\n\nb *c*\nd\n\n- e\n\n- f\n\n```\ng\n\nh\n```\n\n| i | j |\n|-|-|\n| k | l |\n\nm\n===\n\n> n\no\n";

  it("has the same blocks as when it came at once, at each prefix", () => {
    const growing = new BlockReader();
    for (let length = 0; length <= text.length; length += 1) {
      const prefix = text.slice(0, length);
      expect(growing.read(prefix)).toEqual(new BlockReader().read(prefix));
    }
  });

  it("is read in a time that grows with its length, and not with its square", () => {
    const read: number[] = [];
    const spy = vi.spyOn(lexer, "splitBlocks");
    const growing = new BlockReader();
    for (let paragraphs = 1; paragraphs <= 200; paragraphs += 1) growing.read("some words\n\n".repeat(paragraphs));
    read.push(...spy.mock.calls.map(([part]) => part.length));
    spy.mockRestore();
    expect(Math.max(...read)).toBeLessThan(50);
  });

  it("may become another text", () => {
    const reader = new BlockReader();
    reader.read("a\n\nb\n\nc");
    expect(reader.read("x\n\ny")).toEqual(["x\n\n", "y"]);
  });
});
