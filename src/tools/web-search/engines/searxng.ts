import { z } from "zod";
import type { SearchAnswer, SearchEngine } from "./search-engine.js";

const answerSchema = z.union([
  z.string().transform((answer) => ({ answer, url: undefined })),
  z.object({ answer: z.string(), url: z.string().nullish() }),
]);

const replySchema = z.object({
  answers: z.array(answerSchema).default([]).catch([]),
  infoboxes: z
    .array(z.object({ infobox: z.string().nullish(), content: z.string().nullish() }))
    .default([])
    .catch([]),
  results: z.array(z.object({ title: z.string().nullish(), url: z.string(), content: z.string().nullish() })),
});

/** A SearXNG server, your own or another one. It asks many engines and needs no key. */
export const searxng: SearchEngine = {
  title: "SearXNG",
  needsKey: false,
  whenRefused: 'it may not give JSON, for which its settings.yml needs "json" among the formats of "search"',
  request: ({ query }) => ({ path: `/search?${new URLSearchParams({ q: query, format: "json" })}` }),
  read(reply): SearchAnswer {
    const { answers, infoboxes, results } = replySchema.parse(reply);
    const [direct] = answers;
    const boxed = infoboxes.find(({ content }) => content)?.content;
    const source = direct?.url ? { source: { title: direct.url, address: direct.url } } : {};
    return {
      results: results.map(({ title, url, content }) => ({
        title: title ?? url,
        address: url,
        snippet: content ?? "",
      })),
      ...(direct ? { answer: { text: direct.answer, ...source } } : boxed ? { answer: { text: boxed } } : {}),
    };
  },
};
