import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { readInThread } from "../../../src/tools/fetch-page/fetch-page.js";

const pageOf = (html: string) => ({
  address: "https://example.org/",
  type: "text/html",
  bytes: Buffer.from(html),
  maxCharacters: 1000,
});

describe("readInThread", () => {
  it("ends when its signal does, with what there is", async () => {
    const stop = new AbortController();
    const reading = readInThread(pageOf(`end${"<div>".repeat(100_000)}`), stop.signal);
    // The page takes far longer than the five seconds that it has.
    await setTimeout(1000);
    stop.abort();
    const text = await Promise.race([reading, setTimeout(3000, "too late")]);
    expect(text).toEqual({ title: "", text: "end", length: 3, isBare: true });
  });

  it("begins nothing after its signal", async () => {
    expect(await readInThread(pageOf("<p>text"), AbortSignal.abort())).toBeUndefined();
  });
});
