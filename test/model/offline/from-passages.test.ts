import { Document } from "@langchain/core/documents";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import {
  createRetrievalAgent,
  decompose,
  hyde,
  multiQuery,
  offlineModel,
  type RetrievalOptions,
  stepBack,
} from "../../../src/index.js";

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
  return { agent: createRetrievalAgent({ model: offlineModel(), retriever, ...options }), queries };
}

const height = /^The Kite Tower was opened by Eva Lind in 1931\. It has a height of 88 metres \[1\]\.$/;

describe("the offline model, in the prompts of a retrieval agent", () => {
  it.each([
    ["stuff", {}],
    ["map-reduce", { combine: "map-reduce" }],
    ["map-rerank", { combine: "map-rerank" }],
    ["refine", { combine: "refine" }],
    ["grades", { grade: true }],
    ["checks", { check: true }],
    ["several searches", { adaptive: true }],
    ["other wordings", { translate: multiQuery() }],
    ["simpler questions", { translate: decompose() }],
    ["a general question", { translate: stepBack() }],
    ["an invented passage", { translate: hyde() }],
  ] as const)("answers with the number of the passage, or says that it does not know: %s", async (_, options) => {
    const { agent } = agentWith(options);
    const right = await agent.invoke({ messages: "How high is the Kite Tower?" });
    expect(right.answer).toMatch(height);
    expect(right.stopReason).toBe("answered");
    const none = await agent.invoke({ messages: "Who painted the Rowan Bridge?" });
    expect(none.answer).toMatch(/^I (?:do not know|found nothing)/);
  });

  it("answers each part of a question, and says what the passages do not tell", async () => {
    const { agent } = agentWith();
    const { answer } = await agent.invoke({ messages: "When was the Rowan Bridge built and where was Eva Lind born?" });
    expect(answer).toBe("The Rowan Bridge was built in 1704 [2]. Eva Lind was born in Bergen in 1890 [3].");
    const half = await agent.invoke({ messages: "When was the Rowan Bridge built? Who painted it?" });
    expect(half.answer).toBe("The Rowan Bridge was built in 1704 [2]. The passages do not tell the rest.");
  });

  it("works out no numbers", async () => {
    const { answer } = await agentWith().agent.invoke({
      messages: "What is the square root of the height of the Kite Tower?",
    });
    expect(answer).toMatch(/^I do not know/);
  });

  it("searches for follow-up questions with what they are about, and answers a greeting without a search", async () => {
    const { agent, queries } = agentWith({ route: true, checkpointer: new MemorySaver() });
    const thread = { configurable: { thread_id: "1" } };
    await agent.invoke({ messages: "Who opened the Kite Tower?" }, thread);
    const { answer } = await agent.invoke({ messages: "When was she born?" }, thread);
    expect(answer).toBe("Eva Lind was born in Bergen in 1890 [3].");
    const thanks = await agent.invoke({ messages: "Thank you!" }, thread);
    expect(thanks).toMatchObject({ answer: "You are welcome.", sources: [] });
    expect(queries).toEqual(["Who opened the Kite Tower?", "When was Eva Lind born?"]);
  });

  it("chooses the place whose description fits, and searches with other words if nothing helps", async () => {
    const found = (text: string) => {
      const queries: string[] = [];
      const invoke = async (query: string) => {
        queries.push(query);
        return [new Document({ pageContent: text, metadata: { title: "T", address: "t" } })];
      };
      return { queries, invoke };
    };
    const [towers, people] = [found("Towers are high."), found("Eva Lind was born in Bergen in 1890.")];
    const { agent } = agentWith({
      retriever: [
        { name: "towers", description: "Towers and bridges.", retriever: towers },
        { name: "people", description: "Where and when people were born.", retriever: people },
      ],
      route: true,
      grade: true,
    });
    const state = await agent.invoke({ messages: "Where was Eva Lind born?" });
    expect(state).toMatchObject({ answer: "Eva Lind was born in Bergen in 1890 [1].", stopReason: "answered" });
    expect([towers.queries, people.queries]).toEqual([[], ["Where was Eva Lind born?"]]);
    const none = await agent.invoke({ messages: "What is the tallest tower of Lund?" });
    expect(none.stopReason).toBe("not-found");
    expect(towers.queries).toEqual(["What is the tallest tower of Lund?", "tallest tower of Lund", "Lund"]);
  });
});
