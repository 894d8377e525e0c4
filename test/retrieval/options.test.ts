import { FakeVectorStore, SyntheticEmbeddings } from "@langchain/core/utils/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createRetrievalAgent, webSearch } from "../../src/index.js";
import { retrieverOf } from "./scripted-retrieval.js";

const { retriever } = retrieverOf(() => []);
const embeddings = new SyntheticEmbeddings({ vectorSize: 4 });
const named = { name: "films", description: "films", retriever };

describe("the options of a retrieval agent", () => {
  it.each([
    [{}, "retriever: it is missing; give a LangChain retriever, such as documents({ folder })"],
    [{ retriever: "docs" }, 'retriever: "docs" is not possible; give a LangChain retriever'],
    [{ retriever: [] }, "give at least one retriever"],
    [{ retriever: [named, named] }, "retriever: two retrievers have the same name"],
    [{ retriever: [{ ...named, name: "none" }] }, '"none" means that no retriever is asked'],
    [{ retriever: [{ ...named, name: "a,b" }] }, "give a name of letters, digits, spaces, _ and -."],
    [{ retriever: [{ ...named, description: "" }] }, "give a text that says what can be found there"],
    [{ retriever: [retriever, new FakeVectorStore(embeddings)] }, "it is missing; give a LangChain retriever, such as"],
    [{ retriever: [webSearch({ provider: "wikipedia" }), named], route: true }, undefined],
    [{ retriever, rerank: () => [] }, /give a document compressor of LangChain, .* or \{ compressDocuments \}\.$/],
    [{ retriever, rerank: FakeVectorStore }, "{ compressDocuments }. Was new FakeVectorStore(…) meant?"],
    [
      { retriever, combine: "stuf" },
      'combine: "stuf" is not possible; give one of "stuff", "map-reduce", "refine", "map-rerank"',
    ],
    [{ retriever, translate: () => ["x"] }, undefined],
    [
      { retriever, translate: "multiQuery" },
      'translate: "multiQuery" is not possible; give "multi-query", "decompose", "step-back", "hyde" or a function',
    ],
    [{ retriever, route: "films" }, 'route: "films" is not possible; give true, false or a function'],
    [{ retriever, grade: { rewrites: 3 } }, "grade.rewrites: 3 is not possible; give 0, 1 or 2"],
    [{ retriever, grade: { fallback: "web" } }, 'grade.fallback: "web" is not possible'],
    [{ retriever, grade: "yes" }, 'grade: "yes" is not possible; give true, false or { rewrites, fallback }'],
    [{ retriever, check: 1 }, "check: 1 is not possible; give true or false"],
    [{ retriever, prompts: { grade: "" } }, 'prompts.grade: "" is not possible; give a text that is not empty'],
    [
      { retriever, prompts: { notFound: "No." } },
      'prompts.notFound: "No." is not possible; give a function (view) => text',
    ],
    [{ retriever, tools: [] }, "tools: there is no such option"],
    [
      { retriever, middleware: [{ name: "todo", tools: [webSearch({ provider: "wikipedia" })] }] },
      "middleware: todo brings tools, and a retrieval agent calls none; give createAgent this middleware",
    ],
    [{ retriever, systemPrompt: "x" }, 'systemPrompt: there is no such option; did you mean "instructions"?'],
    [{ retriever, responseFormat: {} }, "responseFormat: there is no such option. The options are: model, "],
  ])("%o", (options, message) => {
    const make = () =>
      createRetrievalAgent({ model: "offline", ...options } as Parameters<typeof createRetrievalAgent>[0]);
    if (message === undefined) expect(make).not.toThrow();
    else expect(make).toThrow(message);
  });

  it.each(["stuff", "map-reduce", "map-rerank", "refine"] as const)(
    "say why each edge of %s is taken",
    async (combine) => {
      const steps = { translate: "multi-query", route: true, grade: true, check: true, adaptive: true } as const;
      for (const options of [{}, steps]) {
        const agent = createRetrievalAgent({ model: "offline", retriever, combine, ...options });
        const { edges } = (await agent.getGraphAsync()).toJSON();
        const schema = z.array(z.object({ conditional: z.boolean().optional(), data: z.string().optional() }));
        expect(schema.parse(edges).filter(({ conditional, data }) => conditional && data === undefined)).toEqual([]);
      }
    },
  );

  it("are drawn with the way that they ask for", async () => {
    const agent = createRetrievalAgent({ model: "offline", retriever, grade: true, check: true });
    expect((await agent.getGraphAsync()).drawMermaid({ withStyles: false })).toMatchInlineSnapshot(`
      "graph TD;
      	__start__ --> rephrase-question;
      	retrieve --> grade;
      	write-answer --> check;
      	rewrite -. &nbsp;query&nbsp; .-> retrieve;
      	rewrite -. &nbsp;not found&nbsp; .-> parse;
      	check -. &nbsp;search again&nbsp; .-> retrieve;
      	check -. &nbsp;complaint&nbsp; .-> write-answer;
      	check -. &nbsp;passed&nbsp; .-> parse;
      	rephrase-question -. &nbsp;search&nbsp; .-> retrieve;
      	rephrase-question -. &nbsp;talk&nbsp; .-> write-answer;
      	grade -. &nbsp;found&nbsp; .-> write-answer;
      	grade -. &nbsp;not found&nbsp; .-> parse;
      	grade -. &nbsp;try again&nbsp; .-> rewrite;
      	parse -. &nbsp;unparseable&nbsp; .-> write-answer;
      	parse -. &nbsp;finish&nbsp; .-> __end__;
      "
    `);
  });
});
