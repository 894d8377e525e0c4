import { z } from "zod";
import type { SearchAnswer, SearchEngine } from "./search-engine.js";

const text = z.union([z.string(), z.number()]).transform(String);

const answerBoxSchema = z.object({
  answer: text.optional(),
  result: text.optional(),
  snippet: text.optional(),
  temperature: text.optional(),
  unit: text.optional(),
  weather: text.optional(),
  location: text.optional(),
  title: text.optional(),
  link: z.string().optional(),
});
type AnswerBox = z.infer<typeof answerBoxSchema>;

const replySchema = z.object({
  error: z.string().optional(),
  // Google has boxes of many forms. A box that cannot be read does not spoil the results.
  answer_box: answerBoxSchema.optional().catch(undefined),
  knowledge_graph: z
    .object({ title: text.optional(), description: text.optional(), source: z.object({ link: z.string() }).optional() })
    .optional()
    .catch(undefined),
  organic_results: z
    .array(z.object({ title: text.default(""), link: z.string().default(""), snippet: text.default("") }))
    .default([]),
});

/** Google's results through serpapi.com, with its answer box first, as in langchain-mini. */
export const serpapi: SearchEngine = {
  title: "SerpApi",
  baseUrl: "https://serpapi.com",
  needsKey: true,
  whenRefused: "its key is wrong or has no right to search",
  request: ({ query, apiKey }) => ({
    path: `/search.json?${new URLSearchParams({ engine: "google", q: query, api_key: apiKey })}`,
  }),
  read(reply): SearchAnswer {
    const { error, answer_box: box, knowledge_graph: graph, organic_results } = replySchema.parse(reply);
    const results = organic_results.map(({ title, link, snippet }) => ({ title, address: link, snippet }));
    const boxed = box && answerOf(box);
    if (box && boxed) return { results, answer: { text: boxed, ...sourceOf(box.title, box.link) } };
    if (graph?.description) {
      return { results, answer: { text: graph.description, ...sourceOf(graph.title, graph.source?.link) } };
    }
    const failed = error !== undefined && !/hasn't returned any results/i.test(error);
    return failed ? { results, failure: error } : { results };
  },
};

function answerOf({ answer, result, snippet, temperature, unit, weather, location }: AnswerBox): string | undefined {
  if (answer ?? result ?? snippet) return answer ?? result ?? snippet;
  if (temperature === undefined) return undefined;
  return [`${temperature} °${unit?.charAt(0) ?? ""}`.trim(), weather, location].filter(Boolean).join(", ");
}

function sourceOf(title: string | undefined, address: string | undefined) {
  return address === undefined ? {} : { source: { title: title ?? address, address } };
}
