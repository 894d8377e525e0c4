import { EncodedText } from "../../documents/reading/encoded-text.js";
import { HtmlText } from "../../documents/reading/html-text.js";
import { PlainLines } from "../../documents/reading/plain-lines.js";
import { ReadingThread } from "../../documents/reading/reading-thread.js";
import { type FetchedPage, PageReader, type PageText } from "./page-reader.js";

/** The time for turning HTML into Markdown, in milliseconds. Hostile HTML could take hours. */
const longestMs = 5_000;
/** The most pages that are read at once. Others wait, so that many pages do not fill the memory with threads. */
const mostThreads = 4;
const mostMegabytes = 256;

const reader = `new (${PageReader})(new (${EncodedText})(), new (${HtmlText})(load, new (${PlainLines})()))`;

let threads = 0;
const waiting: (() => void)[] = [];

/**
 * Reads a page in a thread of its own, for five seconds at most.
 *
 * @param signal The signal to stop.
 * @returns The best text that there was when the thread ended. Returns undefined if there was none.
 */
export async function readInThread(page: FetchedPage, signal: AbortSignal): Promise<PageText | undefined> {
  if (threads < mostThreads) threads += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  const thread = new ReadingThread<FetchedPage, PageText>(reader, mostMegabytes);
  try {
    return (await thread.read(page, longestMs, signal)).best;
  } finally {
    await thread.close();
    const next = waiting.shift();
    if (next === undefined) threads -= 1;
    else next();
  }
}
