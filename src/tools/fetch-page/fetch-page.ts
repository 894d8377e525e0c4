import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { z } from "zod";
import { hasCode } from "../../base/errors.js";
import { checkedOptions, countOption, give } from "../../base/options.js";
import { shorten } from "../../base/shorten.js";
import { workerProgram } from "../../base/worker-program.js";
import type { SourcesArtifact } from "../../core/state/source.js";
import { ReadingThread } from "../../documents/reading/reading-thread.js";
import { getFromWeb } from "../web/get-from-web.js";
import { allowing, isPlace, notFetched } from "../web/web-address.js";
import type { FetchedPage, PageText } from "./page-worker.mjs";

const placeOption = z.custom<string>(
  (value) => typeof value === "string" && isPlace(value),
  give('a host, or a host and a port, such as "wiki.example" or "127.0.0.1:8080"'),
);

const optionsSchema = z.strictObject({
  allow: z.array(placeOption, give("a list of hosts")).default([]),
  maxBytes: countOption.default(2_000_000),
  maxCharacters: countOption.default(20_000),
  timeoutMs: countOption.default(20_000),
});

/** The options of {@link fetchPage}. */
export type FetchPageOptions = z.input<typeof optionsSchema>;

const schema = z.object({ url: z.string().describe("The address of the page, such as: https://example.org/page.") });

type Answer = [content: string, artifact: SourcesArtifact];

const longestPassage = 600;

/**
 * Makes a tool named `fetch_page` that fetches a page of the public web, and shows it as Markdown. An article is
 * shown without what stands around it (Mozilla's Readability, as in Firefox). Of other pages it shows all text. It also shows Markdown,
 * JSON, XML and other texts as they are.
 *
 * Only `http:` and `https:` are fetched. No address is fetched that is private, loopback, link-local or otherwise not public,
 * such as the metadata of a cloud. Names are checked by their IP addresses, and redirects again, five at most. The connection
 * goes to the IP address that was checked.
 *
 * A page is read in a thread of its own for five seconds at most. If its HTML takes longer, its bare text is shown.
 *
 * @param options `allow`: places that may be fetched though they are not public, such as `"wiki.example"` (ports 80 and 443) or
 *   `"127.0.0.1:8080"`; none by default. `maxBytes`: the largest number of bytes of a page, sent and decompressed; 2,000,000 by
 *   default. Of a larger page the beginning is read. `maxCharacters`: the largest number of characters that a result shows;
 *   20,000 by default. `timeoutMs`: the time for all of it, in milliseconds; 20,000 by default.
 * @returns A LangChain tool. It stops when the caller's signal does. The artifact of its tool message is a
 *   {@link SourcesArtifact}.
 * @throws {InvalidOptionError} for an option that is not possible. The tool throws {@link ToolError} "web-page-failed" for a page that must not
 *   or cannot be fetched.
 * @example
 * createAgent({ model, tools: [fetchPage({ allow: ["wiki.example"] })] });
 */
export function fetchPage(options: FetchPageOptions = {}): StructuredToolInterface<typeof schema> {
  const { allow, maxBytes, maxCharacters, timeoutMs } = checkedOptions("fetchPage", optionsSchema, options);
  const rules = { isAllowed: allowing(allow), maxBytes };
  return tool(
    async ({ url }, { signal }): Promise<Answer> => {
      const timeout = AbortSignal.timeout(timeoutMs);
      const stop = signal ? AbortSignal.any([signal, timeout]) : timeout;
      try {
        const reply = await getFromWeb(url, rules, stop);
        const address = reply.url.href;
        const page = await readInThread({ address, type: reply.type, bytes: reply.bytes, maxCharacters }, stop);
        if (page === undefined) throw notFetched(address, "it takes too long to read");
        return [showPage(page, address, reply.isCut, maxBytes), { sources: [sourceOf(page, address)] }];
      } catch (error) {
        signal?.throwIfAborted();
        if (hasCode(error, "web-page-failed") || hasCode(error, "missing-worker")) throw error;
        if (timeout.aborted) throw notFetched(url, `it took more than ${timeoutMs / 1000} s`);
        throw notFetched(url, `it cannot be reached or read${codeOf(error)}`);
      }
    },
    {
      name: "fetch_page",
      description:
        "Fetches a page of the web and returns its text as Markdown. The input is the whole address of the page.",
      schema,
      responseFormat: "content_and_artifact",
      metadata: { untrusted: true },
    },
  );
}

function showPage(
  { title, text, length, isBare }: PageText,
  address: string,
  isCut: boolean,
  maxBytes: number,
): string {
  const heading = title ? [`# ${title}`] : [];
  const notes = [
    ...(isCut ? [`Only its first ${maxBytes.toLocaleString("en")} bytes were fetched.`] : []),
    ...(isBare ? ["Its HTML cannot be shown as Markdown: this is its bare text."] : []),
    ...(length > text.length ? [`This is the beginning: ${count(text.length)} of ${count(length)} characters.`] : []),
  ];
  const end = notes.length > 0 ? [`[${notes.join(" ")}]`] : [];
  return [...heading, address, text || "The page has no text.", ...end].join("\n\n");
}

function count(number: number): string {
  return number.toLocaleString("en");
}

function sourceOf({ title, text }: PageText, address: string) {
  return { title: title || address, address, ...(text && { passage: shorten(text, longestPassage) }) };
}

/** Returns the system's code for a failure, such as " (ENOTFOUND)"; empty if there is none. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
}

/** The time for turning HTML into Markdown, in milliseconds. Hostile HTML could take hours. */
const longestMs = 5_000;
/** The most pages that are read at once. Others wait, so that many pages do not fill the memory with threads. */
const mostThreads = 4;
const mostMegabytes = 256;

let threads = 0;
const waiting: (() => void)[] = [];

/**
 * Reads a page in a thread of its own, for five seconds at most.
 *
 * @param signal The signal to stop.
 * @returns The best text that there was when the thread ended. Returns undefined if there was none.
 */
export async function readInThread(page: FetchedPage, signal: AbortSignal): Promise<PageText | undefined> {
  const program = workerProgram(new URL("./page-worker.mjs", import.meta.url));
  if (threads < mostThreads) threads += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  const thread = new ReadingThread<FetchedPage, PageText>(program, mostMegabytes);
  try {
    return (await thread.read(page, longestMs, signal)).best;
  } finally {
    await thread.close();
    const next = waiting.shift();
    if (next === undefined) threads -= 1;
    else next();
  }
}
