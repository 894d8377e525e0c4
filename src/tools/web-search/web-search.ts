import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { z } from "zod";
import { InvalidOptionError } from "../../base/errors.js";
import { checkedOptions } from "../../base/options.js";
import { inOneLine, shorten } from "../../base/shorten.js";
import type { Source, SourcesArtifact } from "../../core/state/source.js";
import { withoutLabels } from "../source-labels.js";
import { askEngine } from "./ask-engine.js";
import { type SearchAnswer, type SearchEngine, searchEngines } from "./engines.js";

const providerSchema = z.enum(["searxng", "wikipedia"], { error: "Give searxng or wikipedia." });

/** The search engines that {@link webSearch} knows. */
export type WebSearchProvider = z.infer<typeof providerSchema>;

const optionsSchema = z.strictObject({
  provider: providerSchema,
  baseUrl: z.url({ protocol: /^https?$/, error: "Give an address that begins with http:// or https://." }).optional(),
  maxResults: z.int("Give a whole number.").min(1, "Give at least 1.").max(20, "Give at most 20.").default(5),
  timeoutMs: z.int("Give a whole number of milliseconds.").min(1, "Give at least 1.").default(10_000),
  fetch: z.custom<typeof fetch>((value) => typeof value === "function", "Give a function like fetch.").optional(),
});

/** The options of {@link webSearch}. */
export type WebSearchOptions = z.input<typeof optionsSchema>;

const longestQuery = 400;
const longestSnippet = 600;

const schema = z.object({ query: z.string().describe("What to search for, such as: fastest robot Rubik's cube.") });

type Answer = [content: string, artifact: SourcesArtifact];

/**
 * Makes a tool named `web_search` that searches the web with SearXNG or Wikipedia. The engine's direct answer comes first,
 * if it gives one, as in langchain-mini. The results follow, each with its title and address.
 *
 * @param options `provider`: the engine. `baseUrl`: the address of a SearXNG server; for Wikipedia, that of another
 *   language, such as https://de.wikipedia.org. `maxResults`: 1 to 20; 5 by default. `timeoutMs`: the time for a whole
 *   search, in milliseconds; 10,000 by default. `fetch`: another `fetch`, such as one for a proxy.
 * @returns A LangChain tool. It stops when the caller's signal does. The artifact of its tool message is a
 *   {@link SourcesArtifact}.
 * @throws {InvalidOptionError} for an option that is missing or not possible. The tool throws {@link ToolError} "web-search-failed" if
 *   the engine cannot be reached, refuses, fails, or takes too long.
 * @example
 * const search = webSearch({ provider: "wikipedia", maxResults: 3 });
 */
export function webSearch(options: WebSearchOptions): StructuredToolInterface<typeof schema> {
  const { provider, maxResults, timeoutMs, ...checked } = checkedOptions("webSearch", optionsSchema, options);
  const engine: SearchEngine = searchEngines[provider];
  const baseUrl = checked.baseUrl ?? engine.baseUrl;
  if (!baseUrl) throw new InvalidOptionError("webSearch.baseUrl", `Give the address of your ${engine.title} server.`);
  return tool(
    async ({ query }, { signal }): Promise<Answer> => {
      const words = query.trim().slice(0, longestQuery);
      if (words === "") return ["There is nothing to search for. Write what to look for.", { sources: [] }];
      const search = { query: words, maxResults, baseUrl, timeoutMs, signal, fetch: checked.fetch ?? fetch };
      const found = await askEngine(engine, search);
      const answer = { ...found, results: found.results.filter(isOnTheWeb).slice(0, maxResults) };
      return [showSearchAnswer(answer, engine.title, words), { sources: sourcesOf(answer) }];
    },
    {
      name: "web_search",
      description:
        "Searches the web, for facts and for what is new. The input is what one types into a search engine: a few words. " +
        "Cite results by their number, such as [2].",
      schema,
      responseFormat: "content_and_artifact",
      metadata: { untrusted: true },
    },
  );
}

/** Writes a reply as text for a model. A direct answer comes first, and then the results with title and address. */
function showSearchAnswer({ answer, results }: SearchAnswer, engine: string, query: string): string {
  const address = answer?.source && isOnTheWeb(answer.source) ? ` (${answer.source.address})` : "";
  const direct = answer ? [`${short(answer.text)}${address}`] : [];
  const shown = results.map((result, position) =>
    `[${position + 1}] ${short(result.title)} (${result.address})\n${short(result.snippet)}`.trimEnd(),
  );
  if (answer || results.length > 0) return [...direct, ...shown].join("\n\n");
  return `${engine} found nothing for ${JSON.stringify(query)}. Search with other words.`;
}

function short(text: string): string {
  return withoutLabels(shorten(inOneLine(text), longestSnippet));
}

/** Tells whether a source can be shown as a link. A reply might have an address that runs something, or has no end. */
function isOnTheWeb({ address }: Source): boolean {
  return /^https?:\/\/\S{1,2000}$/i.test(address);
}

/**
 * Returns the sources of a reply in the order of their numbers. The source of the direct answer has no number and comes last.
 */
function sourcesOf({ answer, results }: SearchAnswer): readonly Source[] {
  const found = results.map(({ snippet, ...source }) => ({ ...source, ...(snippet && { passage: snippet }) }));
  return [...found, ...(answer?.source ? [{ ...answer.source, passage: answer.text }] : [])].filter(isOnTheWeb);
}
