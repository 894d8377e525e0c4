import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { type FetchedPage, PageReader, type PageText } from "./page-reader.js";

/** The time for turning HTML into Markdown, in milliseconds. Hostile HTML could take hours. */
const longestMs = 5_000;
/** The most pages that are read at once. Others wait, so that many pages do not fill the memory with threads. */
const mostThreads = 4;
const mostMegabytes = 256;

const libraries = ["@mixmark-io/domino", "@mozilla/readability", "turndown", "@joplin/turndown-plugin-gfm"] as const;

/** The program of the worker. It sends the bare text first, and then the better one. */
const program = `
const __name = (named) => named; // esbuild's option keepNames puts calls of it into the class.
const { parentPort, workerData: { page, maxCharacters, libraries } } = require("node:worker_threads");
const reader = new (${PageReader})(page, maxCharacters);
parentPort.postMessage(reader.plain());
if (reader.isHtml) {
  const [{ createDocument }, { Readability, isProbablyReaderable }, Turndown, { gfm }] = libraries.map((path) => require(path));
  const text = reader.markdown({ createDocument, Readability, isProbablyReaderable, Turndown, gfm });
  if (text) parentPort.postMessage(text);
}`;

let threads = 0;
const waiting: (() => void)[] = [];

/**
 * Reads a page in a thread of its own, for five seconds at most.
 *
 * @param signal The signal to stop.
 * @returns The best text that there was when the thread ended. Returns undefined if there was none.
 */
export async function readInThread(
  page: FetchedPage,
  maxCharacters: number,
  signal: AbortSignal,
): Promise<PageText | undefined> {
  if (threads < mostThreads) threads += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return signal.aborted ? undefined : await run(page, maxCharacters, signal);
  } finally {
    const next = waiting.shift();
    if (next === undefined) threads -= 1;
    else next();
  }
}

async function run(page: FetchedPage, maxCharacters: number, signal: AbortSignal): Promise<PageText | undefined> {
  const { resolve: pathOf } = createRequire(import.meta.url);
  const workerData = { page, maxCharacters, libraries: libraries.map((name) => pathOf(name)) };
  // With a small stack the libraries soon give up pages of thousands of levels.
  const resourceLimits = { maxOldGenerationSizeMb: mostMegabytes, stackSizeMb: 1 };
  const worker = new Worker(program, { eval: true, execArgv: [], workerData, resourceLimits });
  let best: PageText | undefined;
  worker.on("message", (text: PageText) => {
    best = text;
  });
  await new Promise<void>((end) => {
    const timer = setTimeout(end, longestMs);
    signal.addEventListener("abort", () => end());
    worker.on("error", () => end());
    worker.on("exit", () => {
      clearTimeout(timer);
      end();
    });
  });
  await worker.terminate();
  return best;
}
