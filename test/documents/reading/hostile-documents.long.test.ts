import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { DocumentReader } from "../../../src/documents/reading/document-reader.js";
import { startWebServer } from "../../tools/web/web-server.js";
import { endlessPdf, onePage, paragraph, pdfOf, streamOf, textPdf, wordParts, zipOf } from "./made-files.js";
import { skipped, startReader, word } from "./start-reader.js";

const { read, readWith } = startReader();

describe("a hostile document", () => {
  it.each([
    ["once", (bytes: Buffer) => deflateSync(bytes), "/FlateDecode"],
    ["twice", (bytes: Buffer) => deflateSync(deflateSync(bytes)), "[/FlateDecode /FlateDecode]"],
  ])("of PDF that unpacks to 400 MB, compressed %s, is skipped", async (_, compress, filter) => {
    const bomb = pdfOf([...onePage, streamOf(compress(Buffer.alloc(400_000_000, " ")), `/Filter ${filter}`)]);
    expect(await read("bomb.pdf", bomb)).toEqual(skipped("it is damaged, or its parts are too large"));
  });

  it("that fills the memory is skipped, and the next one is read", async () => {
    const brackets = `%PDF-1.4\n1 0 obj ${"[".repeat(40_000_000)}`;
    const [full, after] = await Promise.all([read("full.pdf", brackets), read("after.pdf", textPdf([["text"]]))]);
    expect(full).toEqual(skipped("it takes too much memory to read"));
    expect(after).toMatchObject({ kind: "markdown" });
  });

  it("that would take years ends in time, alone is skipped, and does not block the program", async () => {
    const capped = new DocumentReader({ timeoutMs: 2000 });
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 20);
    const years = await read("years.pdf", endlessPdf(), capped);
    clearInterval(ticking);
    expect(years).toEqual(skipped("it takes more than 2 s to read"));
    // The thread that is started again may take long, too.
    await expect.poll(() => read("after.csv", "text", capped)).toEqual({ kind: "markdown", text: "- text" });
    await capped.close();
    expect(ticks).toBeGreaterThan(5);
  });

  it("of DOCX that unpacks to more than its declared size is skipped", async () => {
    const parts = wordParts(paragraph("text"));
    const why = "it unpacks to more than 100 MB";
    for (const said of [undefined, 10]) {
      const declared: Record<string, number> = said === undefined ? {} : { "word/a.xml": said };
      const bomb = zipOf({ ...parts, "word/a.xml": Buffer.alloc(110_000_000) }, declared);
      expect(await read("bomb.docx", bomb)).toEqual(skipped(why));
    }
    const many = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`${index}.xml`, Buffer.alloc(10_000_000)]),
    );
    expect(await read("bomb.docx", zipOf({ ...parts, ...many }))).toEqual(skipped(why));
  });

  it("of DOCX expands no entities", async () => {
    const entities = Array.from({ length: 10 }, (_, index) => `<!ENTITY e${index + 1} "${`&e${index};`.repeat(10)}">`);
    const doctype = `<!DOCTYPE a [<!ENTITY e0 "boom">${entities.join("")}]>`;
    expect(JSON.stringify(await read("laughs.docx", word(paragraph("text &e9;"), { doctype })))).not.toContain("boom");
  });

  it("of HTML with a hundred thousand levels keeps its bare text", async () => {
    const html = `<title>Deep</title>begin${"<div>".repeat(100_000)}end`;
    expect(await readWith({ timeoutMs: 10_000 }, "deep.html", html)).toMatchObject({
      kind: "text",
      title: "Deep",
      text: expect.stringMatching(/^begin\s+end$/),
    });
  });

  it("fetches nothing", async () => {
    await using server = await startWebServer();
    const url = `${server.origin}/`;
    const html = `<link rel="stylesheet" href="${url}"><script src="${url}"></script><img src="${url}"><iframe src="${url}"></iframe><p>text`;
    const doctype = `<!DOCTYPE a [<!ENTITY e SYSTEM "${url}">]>`;
    expect(await read("net.html", html)).toMatchObject({ text: "text" });
    expect(await read("net.docx", word(paragraph("text &e;"), { doctype }))).not.toMatchObject({ text: /fetched/ });
    const linked = pdfOf([...onePage, `<< /Length 0 /F << /FS /URL /F (${url}) >> >>\nstream\n\nendstream`]);
    expect(await read("net.pdf", linked)).toMatchObject({ kind: "skipped" });
    expect(server.seen).toEqual([]);
  });
});
