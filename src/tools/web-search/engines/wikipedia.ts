import { z } from "zod";
import type { SearchAnswer, SearchEngine } from "./search-engine.js";

const replySchema = z.object({
  error: z.object({ info: z.string() }).optional(),
  query: z
    .object({
      pages: z.array(
        z.object({ index: z.number(), title: z.string(), fullurl: z.string(), extract: z.string().default("") }),
      ),
    })
    .optional(),
});

/** The beginnings of Wikipedia's articles. Each language has its own base address, such as https://de.wikipedia.org. */
export const wikipedia: SearchEngine = {
  title: "Wikipedia",
  baseUrl: "https://en.wikipedia.org",
  needsKey: false,
  whenRefused: "it may have blocked this network",
  request: ({ query, maxResults }) => ({ path: `/w/api.php?${new URLSearchParams(parametersOf(query, maxResults))}` }),
  read(reply): SearchAnswer {
    const { error, query } = replySchema.parse(reply);
    const pages = [...(query?.pages ?? [])].sort((one, other) => one.index - other.index);
    const results = pages.map(({ title, fullurl, extract }) => ({ title, address: fullurl, snippet: extract }));
    return error ? { results, failure: error.info } : { results };
  },
};

function parametersOf(query: string, maxResults: number): Record<string, string> {
  return {
    action: "query",
    format: "json",
    formatversion: "2",
    generator: "search",
    gsrsearch: query,
    gsrlimit: String(maxResults),
    prop: "extracts|info",
    exintro: "1",
    explaintext: "1",
    exlimit: "max",
    inprop: "url",
  };
}
