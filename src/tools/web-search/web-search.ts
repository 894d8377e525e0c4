import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { z } from "zod";
import { InvalidOptionError, SetupError } from "../../base/errors.js";
import { checkedOptions } from "../../base/options.js";
import { keepSecret } from "../../base/secrets/known-secrets.js";
import type { SourcesArtifact } from "../../turn/source.js";
import { askEngine } from "./ask-engine.js";
import { searchEngines } from "./engines/index.js";
import type { SearchEngine } from "./engines/search-engine.js";
import { isOnTheWeb, showSearchAnswer, sourcesOf } from "./show-search-answer.js";

const providerSchema = z.enum(["serpapi", "tavily", "searxng", "wikipedia"], {
  error: "Give serpapi, tavily, searxng or wikipedia.",
});

/** The search engines that {@link webSearch} knows. */
export type WebSearchProvider = z.infer<typeof providerSchema>;

const optionsSchema = z.strictObject({
  provider: providerSchema,
  apiKey: z.string("Give a text.").trim().default(""),
  baseUrl: z.url({ protocol: /^https?$/, error: "Give an address that begins with http:// or https://." }).optional(),
  maxResults: z.int("Give a whole number.").min(1, "Give at least 1.").max(20, "Give at most 20.").default(5),
  timeoutMs: z.int("Give a whole number of milliseconds.").min(1, "Give at least 1.").default(10_000),
  fetch: z.custom<typeof fetch>((value) => typeof value === "function", "Give a function like fetch.").optional(),
});

/** The options of {@link webSearch}. */
export type WebSearchOptions = z.input<typeof optionsSchema>;

const schema = z.object({ query: z.string().describe("What to search for, such as: fastest robot Rubik's cube.") });

type Answer = [content: string, artifact: SourcesArtifact];

const longestQuery = 400;

/**
 * Makes a tool named `web_search` that searches the web with SerpApi (Google), Tavily, SearXNG or Wikipedia. The
 * engine's direct answer comes first, if it gives one, as in langchain-mini. The results follow, each with its title
 * and address.
 *
 * @param options `provider`: the engine. `apiKey`: the key for SerpApi and Tavily. `baseUrl`: the address of a SearXNG
 *   server; for the other engines, an address in place of theirs. `maxResults`: 1 to 20; 5 by default. `timeoutMs`: the
 *   time for a whole search, in milliseconds; 10,000 by default. `fetch`: another `fetch`, such as one for a proxy.
 * @returns A LangChain tool. It stops when the caller's signal does. The artifact of its tool message is a
 *   {@link SourcesArtifact}.
 * @throws {InvalidOptionError} for an option that is missing or not possible. The tool throws {@link ToolError}
 *   "web-search-failed" if the engine cannot be reached, refuses, fails, or takes too long. That error never shows
 *   the key.
 * @example
 * const search = webSearch({ provider: "tavily", apiKey: "tvly-…", maxResults: 3 });
 */
export function webSearch(options: WebSearchOptions): StructuredToolInterface<typeof schema> {
  const {
    provider,
    apiKey,
    maxResults,
    timeoutMs,
    fetch: ownFetch,
    ...checked
  } = checkedOptions("webSearch", optionsSchema, options);
  const engine: SearchEngine = searchEngines[provider];
  keepSecret(apiKey);
  if (engine.needsKey && apiKey === "")
    throw new InvalidOptionError("webSearch.apiKey", `${engine.title} needs a key.`);
  const baseUrl = checked.baseUrl ?? engine.baseUrl;
  if (!baseUrl) throw new InvalidOptionError("webSearch.baseUrl", `Give the address of your ${engine.title} server.`);
  return tool(
    async ({ query }, { signal }): Promise<Answer> => {
      const words = query.trim().slice(0, longestQuery);
      if (words === "") return ["There is nothing to search for. Write what to look for.", { sources: [] }];
      const connection = { baseUrl, timeoutMs, signal, fetch: ownFetch ?? fetch };
      const found = await askEngine(engine, { query: words, apiKey, maxResults }, connection);
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

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment variables with the key or the address that each engine needs. */
const variables = { serpapi: "SERPAPI_API_KEY", tavily: "TAVILY_API_KEY", searxng: "SEARXNG_URL" } as const;

/**
 * Makes the tool of {@link webSearch} from environment variables. The first that is set chooses the engine:
 * `SERPAPI_API_KEY`, `TAVILY_API_KEY` or `SEARXNG_URL`. `WEB_SEARCH_PROVIDER` chooses an engine by name. Wikipedia,
 * which needs no key, can only be chosen in this way.
 *
 * @param env The variables; those of the process by default.
 * @throws {SetupError} "missing-search-engine" with the names of the variables to set, if no engine can be chosen.
 * @example
 * webSearchFromEnvironment({ TAVILY_API_KEY: "tvly-…" });
 */
export function webSearchFromEnvironment(
  env: Readonly<Record<string, string | undefined>> = process.env,
): StructuredToolInterface<typeof schema> {
  const provider = chooseProvider(env);
  if (provider === "wikipedia") return webSearch({ provider });
  const variable = variables[provider];
  const value = readVariable(env, variable);
  if (value === "") throw notSetUp(`WEB_SEARCH_PROVIDER is ${provider}: set ${variable} too.`, variable);
  return webSearch(provider === "searxng" ? { provider, baseUrl: value } : { provider, apiKey: value });
}

function chooseProvider(env: Environment): WebSearchProvider {
  const named = readVariable(env, "WEB_SEARCH_PROVIDER").toLowerCase();
  const provider = providerSchema.options.find((name) =>
    named === "" ? name !== "wikipedia" && readVariable(env, variables[name]) !== "" : name === named,
  );
  if (provider) return provider;
  if (named !== "") {
    const names = providerSchema.options.join(", ");
    throw notSetUp(`WEB_SEARCH_PROVIDER is ${JSON.stringify(named)}; it can be one of: ${names}.`);
  }
  throw notSetUp(
    "No search engine is set up. Set SERPAPI_API_KEY or TAVILY_API_KEY to your key, SEARXNG_URL to the address of a " +
      "SearXNG server, or WEB_SEARCH_PROVIDER to wikipedia, which needs no key.",
  );
}

function notSetUp(reason: string, variable = "WEB_SEARCH_PROVIDER"): SetupError {
  return new SetupError("missing-search-engine", variable, reason);
}

function readVariable(env: Environment, variable: string): string {
  return env[variable]?.trim() ?? "";
}
