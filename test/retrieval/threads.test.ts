import { MemorySaver, MessagesValue, StateGraph, StateSchema } from "@langchain/langgraph";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  calculator,
  continueTurn,
  createAgent,
  createRetrievalAgent,
  edit,
  regenerate,
  replay,
  streamTurn,
} from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { allOf } from "../helpers/turn-events.js";
import { retrieverOf } from "./scripted-retrieval.js";

let checkpointer = new MemorySaver();
beforeEach(() => {
  checkpointer = new MemorySaver();
});

const thread = { configurable: { thread_id: "t" } };
const { retriever } = retrieverOf((query) => [`About ${query}`]);

function agentWith(replies: readonly string[], options: Partial<Parameters<typeof createRetrievalAgent>[0]> = {}) {
  return createRetrievalAgent({
    model: scriptedModel([...replies]),
    retriever,
    rephrase: false,
    checkpointer,
    ...options,
  });
}

describe("the thread of a retrieval agent", () => {
  it("answers a question again, and another one in its place", async () => {
    const agent = agentWith(["One [1].", "Two [1].", "Three [1]."]);
    await agent.invoke({ messages: "cats" }, thread);
    expect(await regenerate(agent, "t")).toMatchObject({ answer: "Two [1].", question: "cats" });
    const edited = await edit(agent, "t", "dogs");
    expect(edited).toMatchObject({ answer: "Three [1].", sources: [{ passage: "About dogs" }] });
    expect(edited.messages).toHaveLength(2);
  });

  it("continues after a limit, with its passages", async () => {
    const agent = agentWith(["Part [1].", "Whole [1]."], { limits: { maxModelCalls: 1 } });
    expect(await agent.invoke({ messages: "cats" }, thread)).toMatchObject({ stopReason: "model-call-limit" });
    const more = agentWith(["Whole [1]."], { limits: { maxModelCalls: 10 } });
    expect(await continueTurn(more, "t")).toMatchObject({ answer: "Whole [1].", stopReason: "answered" });
  });

  it("can be shared with an agent: each continues the other's conversation", async () => {
    const found = agentWith(["Cats [1]."]);
    await found.invoke({ messages: "cats" }, thread);
    const model = scriptedModel(["Four."]);
    const agent = createAgent({
      model,
      tools: [calculator()],
      rephrase: false,
      checkpointer,
      protocol: "tool-calling",
    });
    const state = await agent.invoke({ messages: "And 2 + 2?" }, thread);
    expect(state).toMatchObject({ answer: "Four.", sources: [{ passage: "About cats" }], retrieval: null });
    expect(model.calls[0]?.prompt).toContain("Cats [1].");
    expect(state.chatHistory.turns).toMatchObject([{ question: "cats", answer: "Cats [1]." }]);
  });

  it("runs again from a checkpoint before the answer is parsed, and calls the model again", async () => {
    const agent = agentWith(["One [1].", "YES", "Two [1].", "YES"], { check: true });
    await agent.invoke({ messages: "cats" }, thread);
    const history: { id: string; next: readonly string[] }[] = [];
    for await (const { config, next } of agent.getStateHistory(thread)) {
      history.push({ id: z.string().parse(config.configurable?.checkpoint_id), next });
    }
    const before = history.find(({ next }) => next.includes("check"));
    expect(await replay(agent, "t", before?.id ?? "")).toMatchObject({ answer: "Two [1]." });
  });
});

describe("a turn that stands in the middle of a retrieval agent", () => {
  it("is not resumed by an agent with other nodes, with an error that says so", async () => {
    const broken = { invoke: async () => Promise.reject(new Error("gone")) };
    const found = agentWith([], { retriever: broken });
    await expect(found.invoke({ messages: "cats" }, thread)).rejects.toThrow("gone");
    const model = scriptedModel(["Dogs."]);
    const agent = createAgent({ model, checkpointer, protocol: "tool-calling" });
    await expect(agent.invoke(null, thread)).rejects.toThrow(
      'The last turn of the thread "t" stopped at the node "retrieve", which this agent does not have.',
    );
    expect(await agent.invoke({ messages: "dogs" }, thread)).toMatchObject({ answer: "Dogs." });
  });
});

describe("a retrieval agent inside another graph", () => {
  it("is a tool of an agent, whose events have the path of the tool", async () => {
    const inner = createRetrievalAgent({ model: scriptedModel(["Cats sleep [1]."]), retriever });
    const search = inner.asTool({
      name: "library",
      description: "Answers.",
      schema: z.object({ messages: z.string() }),
    });
    const call = { content: "", tool_calls: [{ name: "library", args: { messages: "cats" } }] };
    const agent = createAgent({
      model: scriptedModel([call, "They sleep."]),
      tools: [search],
      protocol: "tool-calling",
    });
    const events = await allOf(streamTurn(agent, { messages: "What do cats do?" }));
    expect(events.find(({ type }) => type === "search")).toMatchObject({ path: ["library"], found: 1 });
    expect(events.findLast(({ type }) => type === "answer")).toMatchObject({ text: "They sleep.", path: [] });
    expect(events.at(-1)).toMatchObject({ type: "turn-end", usage: { turn: { modelCalls: 3 } } });
  });

  it("is a node of a graph", async () => {
    const inner = createRetrievalAgent({ model: scriptedModel(["Cats sleep [1]."]), retriever });
    const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
      .addNode("library", inner)
      .addEdge("__start__", "library")
      .addEdge("library", "__end__")
      .compile();
    const { messages } = await graph.invoke({ messages: [{ role: "user", content: "cats" }] });
    expect(messages.map(({ text }) => text)).toEqual(["cats", "Cats sleep [1]."]);
  });
});
