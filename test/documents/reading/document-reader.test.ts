import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { describe, expect, it, vi } from "vitest";
import { DocumentReader } from "../../../src/documents/reading/document-reader.js";
import { endlessPdf, paragraph, textPdf, wordParts, zipOf } from "./made-files.js";
import { skipped, startReader, word } from "./start-reader.js";

const { folder, reader, read, readWith } = startReader();

describe("a document", () => {
  it("of Markdown or text is its text, small or large", async () => {
    for (const [path, kind] of [
      ["a.md", "markdown"],
      ["a.MARKDOWN", "markdown"],
      ["a.mdx", "markdown"],
      ["a.txt", "text"],
    ] as const) {
      for (const text of ["# Cube\r\n\nsnake_case", `# Cube\n${"é and more. ".repeat(60_000)}`]) {
        expect(await read(path, text)).toEqual({ kind, text });
      }
    }
  });

  it("that is a notebook has its texts and its code", async () => {
    const cells = [
      { cell_type: "markdown", source: ["# Cube\n", "It has sides."] },
      { cell_type: "code", source: "print(6)", outputs: [{ text: "6" }] },
      { cell_type: "code", source: [] },
    ];
    const text = "# Cube\nIt has sides.\n\n````\nprint(6)\n````";
    expect(await read("a.ipynb", JSON.stringify({ cells, nbformat: 4 }))).toEqual({ kind: "markdown", text });
    expect(await read("a.ipynb", '{ "cells": 1 }')).toEqual(skipped("it is no notebook of Jupyter"));
  });

  it("of PDF has headings with the numbers of its pages, and its title", async () => {
    const pdf = textPdf([["The cube has exam-", "ples, and well-", "Known sides."], [], ["Its end"]], "The cube ");
    expect(await read("a.pdf", pdf)).toEqual({
      kind: "markdown",
      title: "The cube",
      text: "# Page 1\n\nThe cube has examples, and well-\nKnown sides.\n\n# Page 3\n\nIts end",
    });
  });

  it("of PDF keeps its page numbers when a page looks like Markdown", async () => {
    const pdf = textPdf([["# No heading", "~~~", "line", "---", "#5"], ["---"]]);
    expect(await read("a.pdf", pdf)).toEqual({
      kind: "markdown",
      text: "# Page 1\n\n\\# No heading\n\\~~~\nline\n\\---\n#5\n\n# Page 2\n\n\\---",
    });
  });

  it("of PDF may have another file ending, or bytes before its header", async () => {
    const pdf = textPdf([["Its text"]]);
    const expected = { kind: "markdown", text: "# Page 1\n\nIts text" };
    expect(await read("a.txt", pdf)).toEqual(expected);
    expect(await read("a.pdf", Buffer.concat([Buffer.from("From: scanner\n\n"), pdf]))).toEqual(expected);
    const about = "A PDF begins with %PDF-1.4";
    expect(await read("a.txt", about)).toEqual({ kind: "text", text: about });
  });

  it("of DOCX has headings, lists, tables, links and its title", async () => {
    const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`;
    const table = `<w:tbl><w:tr>${cell("name")}${cell("year")}</w:tr><w:tr>${cell("Ann")}${cell("1990")}</w:tr></w:tbl>`;
    const picture =
      '<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><wp:docPr descr="A cube"/><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill><a:blip r:embed="rId9"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>';
    const body = [
      paragraph("The cube", "Heading1"),
      paragraph("Its <sides> are snake_case.".replace(/[<>]/g, "")),
      paragraph("# No heading"),
      paragraph("Colours", "Heading2"),
      table,
    ].join("");
    expect(await read("a.docx", word(body, { title: "Cubes &amp; more" }))).toEqual({
      kind: "markdown",
      title: "Cubes & more",
      text: "# The cube\n\nIts sides are snake_case.\n\n\\# No heading\n\n## Colours\n\n| name | year |\n| --- | --- |\n| Ann | 1990 |",
    });
    const parts = wordParts(paragraph("Text") + picture);
    const rels =
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId9" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="media/a.png"/></Relationships>';
    const withPicture = zipOf({ ...parts, "word/_rels/document.xml.rels": rels, "word/media/a.png": "no picture" });
    expect(await read("a.docx", withPicture)).toEqual({ kind: "markdown", text: "Text\n\nA cube" });
  });

  it("of HTML has what the page shows, or what opens with a click", async () => {
    const hidden = [
      "hidden",
      'aria-hidden="true"',
      'style="color: red; Display : none !important" aria-hidden="false"',
      "style='visibility:hidden'",
    ];
    const shown = ['style="display: block"', 'aria-hidden="false"', 'hidden="until-found"', 'style="display:none-x"'];
    const html = `<body style="display: none"><h1>Sides <a aria-hidden="true" href="#sides">#</a><a href="#sides" title="Link to Sides">¶</a></h1>
      ${hidden.map((mark, at) => `<div ${mark}>hidden ${at}</div>`).join("")}
      ${shown.map((mark, at) => `<p ${mark}>shown ${at}</p>`).join("")}
      <!-- comment --><template>template</template><style>style</style><noscript>noscript</noscript><input type="hidden" value="x"><details><summary>More</summary><p>Closed</p></details></body>`;
    expect(await read("a.html", html)).toEqual({
      kind: "markdown",
      text: "# Sides\n\nshown 0\n\nshown 1\n\nshown 2\n\nshown 3\n\nMore\n\nClosed",
    });
  });

  it("of HTML has what opens with a click, also in an article, and the page behind a dialog", async () => {
    const sentence = "The cube has six sides, and each of its sides has nine small squares of one colour. ";
    const html = (text: string) => `<div id="root" aria-hidden="true"><article>
      <button aria-controls="other a1">How?</button><div id="a1" hidden><p>answer 1 ${text}</p></div>
      <a href="#a2">Why?</a><div id="a2" style="display:none"><p>answer 2 ${text}</p></div>
      <button data-bs-target="#a3">When?</button><div id="a3" aria-hidden="true" hidden><p>answer 3 ${text}</p></div>
      <div role="tabpanel" hidden><p>answer 4 ${text}</p></div><div role="region" hidden><p>answer 5 ${text}</p></div>
      <div id="a6" hidden><p>hidden ${text}</p></div></article></div>`;
    for (const text of ["", sentence.repeat(5)]) {
      const page = await read("a.html", html(text));
      expect("text" in page && page.text.match(/answer \d|hidden/g)).toEqual([1, 2, 3, 4, 5].map((n) => `answer ${n}`));
    }
  });

  it("of HTML has its title, headings and tables, and no line that reads as front matter", async () => {
    const html = `<!doctype html><title>The &amp; cube</title><hr><h1>Sides</h1><p>All <a href="b.html">six</a>,
      <a href="https://example.org/">more</a></p><script>no()</script><hr>
      <table><tr><th>name<th>year<tr><td>Ann<td>1990</table>`;
    expect(await read("a.htm", html)).toEqual({
      kind: "markdown",
      title: "The & cube",
      text: "***\n\n# Sides\n\nAll six, [more](https://example.org/)\n\n***\n\n| name | year |\n| --- | --- |\n| Ann | 1990 |",
    });
  });

  it.each([
    ["commas", "a.csv", 'name,year,note\nAnn,1990,"a ""b"",\nc"\n\nBob,,\n'],
    ["semicolons", "a.csv", 'name;year;note\nAnn;1990;"a ""b"",\nc"\n\nBob;;\n'],
    ["tabs", "a.tsv", 'name\tyear\tnote\nAnn\t1990\t"a ""b"",\nc"\n\nBob\t\t\n'],
  ])("of a table with %s has lines with the names of the columns", async (_, path, table) => {
    const text = '# Rows 2 to 5\n\n- name: Ann, year: 1990, note: a "b", c\n\n- name: Bob';
    expect(await read(path, table)).toEqual({ kind: "markdown", text });
  });

  it("of a table has a heading for each ten rows", async () => {
    const rows = Array.from({ length: 21 }, (_, index) => `${index + 2}`).join("\n");
    const parsed = await read("a.csv", `row,\n${rows}`);
    const text = parsed.kind === "skipped" ? "" : parsed.text;
    expect(text.match(/^# .*/gm)).toEqual(["# Rows 2 to 11", "# Rows 12 to 21", "# Rows 22 to 22"]);
    expect(text).toContain("# Rows 12 to 21\n\n- row: 12\n");
  });

  it("of a table with one row is this row", async () => {
    expect(await read("a.csv", "Ann,1990")).toEqual({ kind: "markdown", text: "- Ann, 1990" });
  });

  it.each([
    ["UTF-16 with a mark", "a.txt", Buffer.from("\ufeffcafé", "utf16le"), "café"],
    ["what the page says", "a.html", Buffer.from('<meta charset="koi8-r"><p>\xf4\xc5\xcb\xd3\xd4', "latin1"), "Текст"],
    ["UTF-8, if it declares none that we know", "a.html", '<meta charset="no-such"><p>café', "café"],
  ])("in the encoding of %s is decoded", async (_, path, bytes, text) => {
    expect(await read(path, bytes)).toMatchObject({ text });
  });
});

describe("a document that is skipped", () => {
  const old = Buffer.from("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "latin1");
  const encrypted = textPdf(
    [["Secret"]],
    "",
    `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${"41".repeat(32)}> /U <${"42".repeat(32)}> >> /ID [<41> <41>]`,
  );
  it.each([
    ["empty", "a.md", "", "it is empty"],
    ["of white space", "a.txt", " \n", "it has no text"],
    ["of bytes", "a.txt", Buffer.from([1, 0, 2]), "it is not a text"],
    ["a table of bytes", "a.csv", Buffer.from([1, 0, 2]), "it is not a text"],
    ["a scan", "a.pdf", textPdf([[], []]), "it is a PDF without text, such as a scan"],
    ["an encrypted PDF", "a.pdf", encrypted, "it needs a password"],
    ["a truncated PDF", "a.pdf", textPdf([["text"]]).subarray(0, 300), "it is damaged, or its parts are too large"],
    ["a PDF by its name alone", "a.pdf", "<html>Not found", 'it is named ".pdf", and is of another format'],
    [
      "a truncated DOCX",
      "a.docx",
      word(paragraph("text")).subarray(0, 900),
      "it is damaged, or its parts are too large",
    ],
    ["another archive with the name of DOCX", "a.docx", zipOf({ a: "b" }), "it is damaged, or its parts are too large"],
    ["a DOCX without text", "a.docx", word(""), "it has no text"],
    ["an archive", "a.txt", zipOf({ a: "b" }), "it is a ZIP archive"],
    ["an old Word file", "a.docx", old, "it is of an old format of Office. Save it as DOCX"],
    [
      "a DOCX with a password",
      "a.docx",
      Buffer.concat([old, Buffer.from("EncryptedPackage", "utf16le")]),
      "it needs a password",
    ],
    ["of another format", "a.xyz", "text", "its format is not known"],
  ])("%s: says why", async (_, path, content, why) => {
    expect(await read(path, content)).toEqual(skipped(why));
  });

  it.each(["a.txt", "a.md", "a.csv", "a.html"])("%s in an unknown encoding: says what to do", async (path) => {
    const dos = Buffer.from("\xa2\xe1\xa5\xac \xad\xae\xad\xa5\xe2 \xa4\xa0\xe2", "latin1");
    expect(await read(path, dos)).toEqual(skipped("its encoding is not known. Save it as UTF-8"));
  });

  it("is missing, a folder or a link out of the folder", async () => {
    symlinkSync("/etc/passwd", join(folder, "link.txt"));
    symlinkSync("/etc", join(folder, "etc"));
    for (const path of ["missing.md", ".", "link.txt", "etc/passwd"]) {
      expect(await reader.readFile(folder, { path })).toEqual(skipped("it cannot be read"));
    }
    symlinkSync("place", join(folder, "inside.txt"));
    expect(await read("place", "Rain")).toEqual(skipped("its format is not known"));
    expect(await reader.readFile(folder, { path: "inside.txt" })).toEqual({ kind: "text", text: "Rain" });
  });

  it("is larger than the limit, compressed or unpacked", async () => {
    expect(await readWith({ maxBytes: 1000 }, "a.md", "a".repeat(1001))).toEqual(
      skipped("it has more than 1,000 bytes"),
    );
    expect(await readWith({ maxBytes: 1000 }, "a.md", "a".repeat(1000))).toMatchObject({ kind: "markdown" });
    expect(await readWith({ maxCharacters: 1000 }, "a.csv", "a,b\n".repeat(1_000))).toEqual(
      skipped("its text has more than 1,000 characters"),
    );
  });
});

describe("a reader", () => {
  /** Waits until a file is given to the thread. */
  async function isBeingRead() {
    using given = vi.spyOn(Worker.prototype, "postMessage");
    await expect.poll(() => given.mock.calls.length).toBe(1);
  }

  it("stops with its signal, and goes on with the next file", async () => {
    const stop = new AbortController();
    const reading = read("years.pdf", endlessPdf(), reader, stop.signal);
    await isBeingRead();
    stop.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
    await expect(read("a.md", "text", reader, stop.signal)).rejects.toThrow("enough");
    expect(await read("a.csv", "Ann,1990")).toMatchObject({ kind: "markdown" });
  });

  it("may be used again after it was closed", async () => {
    const closed = new DocumentReader({ timeoutMs: 600_000 });
    const years = read("years.pdf", endlessPdf(), closed);
    await isBeingRead();
    await closed.close();
    expect(await years).toEqual(skipped("it is damaged, or its parts are too large"));
    expect(await read("a.csv", "Ann,1990", closed)).toMatchObject({ kind: "markdown" });
    await closed.close();
  });
});
