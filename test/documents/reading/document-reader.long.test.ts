import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DocumentReader } from "../../../src/documents/reading/document-reader.js";
import { onePage, pdfOf, streamOf, textPdf } from "./made-files.js";

let folder: string;
let reader: DocumentReader;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "glassloop-reading-"));
  reader = new DocumentReader({ timeoutMs: 120_000 });
});

afterAll(async () => {
  await reader.close();
  rmSync(folder, { recursive: true });
});

function read(path: string, content: string | Buffer) {
  writeFileSync(join(folder, path), content);
  return reader.readFile(folder, { path });
}

const skipped = (why: string) => ({ kind: "skipped", why });

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
});
