import { setTimeout } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import { readInThread } from "../../../src/tools/fetch-page/fetch-page.js";

const pageOf = (html: string) => ({
  address: "https://example.org/",
  type: "text/html",
  bytes: Buffer.from(html),
  maxCharacters: 1000,
});

afterEach(() => vi.useRealTimers());

it("the reading of a page ends when its signal does, with what there is", async () => {
  // The five seconds of a page never end, so that nothing but the signal ends it.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const textAfter = async (ms: number) => {
    const stop = new AbortController();
    const reading = readInThread(pageOf(`end${"<div>".repeat(100_000)}`), stop.signal);
    await setTimeout(ms);
    stop.abort();
    return reading;
  };
  let text = await textAfter(0);
  for (let ms = 200; text === undefined; ms *= 2) text = await textAfter(ms);
  expect(text).toEqual({ title: "", text: "end", length: 3, isBare: true });
});
