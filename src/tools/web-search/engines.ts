import { z } from "zod";
import type { Source } from "../../core/state/source.js";

/** The reply of an engine. */
export interface SearchAnswer {
  /** A direct answer to the question, with its source; undefined if the engine gave none. */
  readonly answer?: { readonly text: string; readonly source?: Source };
  readonly results: readonly (Source & { readonly snippet: string })[];
  /** The engine's own words for a failure that it reported in its reply. */
  readonly failure?: string;
}

/** A search engine of the web: writes requests and parses replies, without input or output of its own. */
export interface SearchEngine {
  /** The name that people use. */
  readonly title: string;
  /** The engine's address; undefined if each server has its own. */
  readonly baseUrl?: string;
  /** The advice for a refusal (HTTP 401 and 403). */
  readonly whenRefused: string;
  /** The path of a GET request, after the engine's address, and its parameters. */
  request(query: string, maxResults: number): readonly [path: string, parameters: Readonly<Record<string, string>>];
  /**
   * Reads a reply.
   *
   * @param reply The parsed JSON.
   * @throws {z.ZodError} if it has another form than the engine's.
   */
  read(reply: unknown): SearchAnswer;
}

const searxngReply = z.object({
  answers: z
    .array(
      z.union([
        z.string().transform((answer) => ({ answer, url: undefined })),
        z.object({ answer: z.string(), url: z.string().nullish() }),
      ]),
    )
    .default([])
    .catch([]),
  infoboxes: z
    .array(z.object({ content: z.string().nullish() }))
    .default([])
    .catch([]),
  results: z.array(z.object({ title: z.string().nullish(), url: z.string(), content: z.string().nullish() })),
});

/** A SearXNG server, your own or another one. It asks many engines and needs no key. */
const searxng: SearchEngine = {
  title: "SearXNG",
  whenRefused: 'it may not give JSON, for which its settings.yml needs "json" among the formats of "search"',
  request: (q) => ["/search", { q, format: "json" }],
  read(reply) {
    const { answers, infoboxes, results } = searxngReply.parse(reply);
    const [direct] = answers;
    const text = direct?.answer ?? infoboxes.find(({ content }) => content)?.content;
    const source = direct?.url ? { source: { title: direct.url, address: direct.url } } : {};
    return {
      results: results.map(({ title, url, content }) => ({
        title: title ?? url,
        address: url,
        snippet: content ?? "",
      })),
      ...(text && { answer: { text, ...source } }),
    };
  },
};

const wikipediaReply = z.object({
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
const wikipedia: SearchEngine = {
  title: "Wikipedia",
  baseUrl: "https://en.wikipedia.org",
  whenRefused: "it may have blocked this network",
  request: (gsrsearch, maxResults) => [
    "/w/api.php",
    {
      ...{ action: "query", format: "json", formatversion: "2" },
      ...{ generator: "search", gsrsearch, gsrlimit: String(maxResults) },
      ...{ prop: "extracts|info", exintro: "1", explaintext: "1", exlimit: "max", inprop: "url" },
    },
  ],
  read(reply) {
    const { error, query } = wikipediaReply.parse(reply);
    const pages = [...(query?.pages ?? [])].sort((one, other) => one.index - other.index);
    const results = pages.map(({ title, fullurl, extract }) => ({ title, address: fullurl, snippet: extract }));
    return { results, ...(error && { failure: error.info }) };
  },
};

/** The engines, by their names in options. */
export const searchEngines = { searxng, wikipedia };
