import { z } from "zod";
import type { SearchAnswer, SearchEngine } from "./search-engine.js";

const replySchema = z.object({
  answer: z.string().nullish(),
  results: z.array(
    z.object({
      title: z.string().nullish(),
      url: z.string(),
      content: z.string().nullish(),
      score: z.number().nullish(),
    }),
  ),
});

/** The search engine tavily.com, which is made for models. It writes an answer itself. */
export const tavily: SearchEngine = {
  title: "Tavily",
  baseUrl: "https://api.tavily.com",
  needsKey: true,
  whenRefused: "its key is wrong or has no right to search",
  request: ({ query, apiKey, maxResults }) => ({
    path: "/search",
    headers: { authorization: `Bearer ${apiKey}` },
    body: { query, max_results: maxResults, include_answer: true },
  }),
  read(reply): SearchAnswer {
    const { answer, results } = replySchema.parse(reply);
    return {
      results: results.map(({ title, url, content, score }) => ({
        title: title ?? url,
        address: url,
        snippet: content ?? "",
        ...(typeof score === "number" && { score }),
      })),
      ...(answer ? { answer: { text: answer } } : {}),
    };
  },
};
