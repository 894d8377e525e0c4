import { Document } from "@langchain/core/documents";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { createRetrievalAgent, type RetrievalOptions } from "../../../src/index.js";
import { OfflineModel } from "../../../src/model/offline/offline-model.js";
import { checkPrompt } from "../../../src/retrieval/nodes/check.js";
import { matrix } from "../../matrix/matrix.js";

const passages = [
  ["Kite Tower", "The Kite Tower was opened by Eva Lind in 1931. It has a height of 88 metres."],
  ["Rowan Bridge", "The Rowan Bridge is made of oak. The Rowan Bridge was built in 1704."],
  ["Eva Lind", "Eva Lind was born in Bergen in 1890."],
] as const;

function agentWith(options: Omit<RetrievalOptions, "model" | "retriever"> & Partial<RetrievalOptions> = {}) {
  const queries: string[] = [];
  const retriever = {
    invoke: async (query: string) => {
      queries.push(query);
      return passages.map(([title, pageContent]) => new Document({ pageContent, metadata: { title, address: title } }));
    },
  };
  return { agent: createRetrievalAgent({ model: new OfflineModel({}), retriever, ...options }), queries };
}

const opened = /^The Kite Tower was opened by Eva Lind in 1931 \[1\]\.$/;

/** The ways to an answer. In the first ones the model has prompts of its own. */
const ways: readonly [name: string, Partial<RetrievalOptions>][] = [
  ["stuff", {}],
  ["map-reduce and grades", { combine: "map-reduce", grade: true }],
  ["map-rerank and checks", { combine: "map-rerank", check: true }],
  ["refine and several searches", { combine: "refine", adaptive: true }],
  ["an invented passage", { translate: "hyde" }],
  ["other wordings", { translate: "multi-query" }],
  ["simpler questions", { translate: "decompose" }],
  ["a general question", { translate: "step-back" }],
];

describe("the offline model, in the prompts of a retrieval agent", () => {
  it.each(matrix(ways, ...ways.slice(0, 5)))(
    "answers with the number of the passage, or says that it does not know: %s",
    async (_, options) => {
      const { agent } = agentWith(options);
      const right = await agent.invoke({ messages: "When was the Kite Tower opened?" });
      expect(right.answer).toMatch(opened);
      expect(right.stopReason).toBe("answered");
      const none = await agent.invoke({ messages: "Who painted the Rowan Bridge?" });
      expect(none.answer).toMatch(/^I (?:do not know|found nothing)/);
    },
  );

  it("works out no numbers", async () => {
    const { answer } = await agentWith().agent.invoke({
      messages: "What is the square root of the height of the Kite Tower?",
    });
    expect(answer).toMatch(/^I do not know/);
  });

  it("searches for follow-up questions with what they are about", async () => {
    const { agent, queries } = agentWith({ route: true, checkpointer: new MemorySaver() });
    const thread = { configurable: { thread_id: "1" } };
    await agent.invoke({ messages: "Who opened the Kite Tower?" }, thread);
    const { answer } = await agent.invoke({ messages: "When was she born?" }, thread);
    expect(answer).toBe("Eva Lind was born in Bergen in 1890 [3].");
    expect(queries).toEqual(["Who opened the Kite Tower?", "When was Eva Lind born?"]);
  });

  it("searches with all retrievers, and with other words if no passage helps", async () => {
    const queries: string[] = [];
    const retriever = {
      invoke: async (query: string) => {
        queries.push(query);
        return [new Document({ pageContent: "Towers are high.", metadata: { title: "T", address: "t" } })];
      },
    };
    const places = ["towers", "people"].map((name) => ({ name, description: `All ${name}.`, retriever }));
    const { agent } = agentWith({ retriever: places, route: true, grade: true });
    const none = await agent.invoke({ messages: "What is the tallest tower of Lund?" });
    expect(none.stopReason).toBe("not-found");
    const asked = ["What is the tallest tower of Lund?", "the tallest tower of Lund"];
    expect(queries).toEqual(asked.flatMap((query) => [query, query]));
  });

  it("answers that it needs a model to answer without a search", async () => {
    const { agent, queries } = agentWith({ route: () => [] });
    const { answer } = await agent.invoke({ messages: "Thank you!" });
    expect(answer).toMatch(/^I am the offline stand-in/);
    expect(queries).toEqual([]);
  });

  it("rejects an answer that is not in the passages", async () => {
    const ask = async (answer: string) => {
      const { text } = await new OfflineModel({}).invoke(
        checkPrompt(
          "Where was Eva Lind born?",
          [{ number: 1, place: "a.md", text: "Eva Lind was\nborn in Bergen." }],
          answer,
          "m",
        ),
      );
      return text;
    };
    expect(await ask("Eva Lind was born in Bergen [1].")).toBe('{"right":true}');
    expect(await ask("Eva Lind was born in Lund [1].")).toMatch(/"right":false/);
    expect(await ask("I do not know: the passages do not answer this.")).toMatch(/"right":false/);
  });
});
