import { AIMessage, type BaseMessageLike, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { InvalidInputError } from "../../src/index.js";
import type { scriptedModel } from "../../src/testing/index.js";
import { act, agentWith, answer } from "./echo-agent.js";

const thread = { configurable: { thread_id: "outer" } };
const Outer = new StateSchema({ messages: MessagesValue });

/** What the model was shown at its last call, from the question on. */
function shownTo({ calls }: ReturnType<typeof scriptedModel>): string | undefined {
  return calls.at(-1)?.prompt.split("Begin!\n\n")[1];
}

it("two agents in a row in a graph answer the same question, the second with the observations of the first", async () => {
  const research = agentWith([act("one"), answer("Facts."), answer("More facts.")], { name: "research" });
  const write = agentWith([answer("A text."), answer("A longer text.")], { name: "write" });
  const graph = new StateGraph(Outer)
    .addNode("research", research.agent)
    .addNode("write", write.agent)
    .addEdge(START, "research")
    .addEdge("research", "write")
    .compile({ checkpointer: new MemorySaver() });
  const first = await graph.invoke({ messages: "First?" }, thread);
  expect(first.messages.map(({ type, name, text }) => [type, name, text])).toEqual([
    ["human", undefined, "First?"],
    ["ai", "research", "I look"],
    ["tool", "echo", "echo of one"],
    ["ai", "research", "Facts."],
    ["ai", "write", "A text."],
  ]);
  expect(shownTo(write.model)).toBe(
    "Question: First?\n\nSince then:\nresearch: I look\nResult of echo: echo of one\nresearch: Facts.\nThought:",
  );
  const second = await graph.invoke({ messages: "Second?" }, thread);
  expect(second.messages.slice(5).map(({ text }) => text)).toEqual(["Second?", "More facts.", "A longer text."]);
  expect(shownTo(research.model)).toBe("Question: Second?\nThought:");
  expect(shownTo(write.model)).toBe("Question: Second?\n\nSince then:\nresearch: More facts.\nThought:");
});

describe("an agent as a node", () => {
  const around = ({ agent }: ReturnType<typeof agentWith>) =>
    new StateGraph(Outer).addNode("ask", agent).addEdge(START, "ask").compile();

  it.each<[string, BaseMessageLike[], string]>([
    [
      "an AI message",
      [new HumanMessage("Who?"), new AIMessage("Nobody.")],
      "Who?\n\nSince then:\nAnother agent: Nobody.",
    ],
    [
      "a tool message",
      [
        new HumanMessage("Who?"),
        new AIMessage({ name: "lead", content: "", tool_calls: [{ id: "c", name: "hand_over", args: {} }] }),
        new ToolMessage({ tool_call_id: "c", content: "Handed over." }),
      ],
      "Who?\n\nSince then:\nResult of a tool: Handed over.",
    ],
    ["a system message", [new HumanMessage("Who?"), new SystemMessage("Be kind.")], "Who?"],
    [
      "a human message of another agent",
      [new HumanMessage("Who?"), new AIMessage("Ann."), new HumanMessage({ name: "critic", content: "Sure?" })],
      "Sure?",
    ],
  ])("accepts a conversation that ends with %s", async (_end, messages, question) => {
    const asked = agentWith([answer("Ann.")]);
    const state = await around(asked).invoke({ messages });
    expect(state.messages.at(-1)?.text).toBe("Ann.");
    expect(shownTo(asked.model)).toBe(`Question: ${question}\nThought:`);
  });

  it("treats system messages before and after the question as instructions, in later turns, too", async () => {
    const asked = agentWith([answer("One."), answer("Two.")], { checkpointer: true });
    const graph = new StateGraph(Outer)
      .addNode("greet", () => ({ messages: [new AIMessage("Hello."), new SystemMessage("Answer in French.")] }))
      .addNode("ask", asked.agent)
      .addEdge(START, "greet")
      .addEdge("greet", "ask")
      .compile({ checkpointer: new MemorySaver() });
    await graph.invoke({ messages: "One?" }, thread);
    await graph.invoke({ messages: [new SystemMessage("Be kind."), new HumanMessage("Two?")] }, thread);
    expect(asked.model.calls.at(-1)?.messages[0]?.text).toBe("Be kind.\n\nAnswer in French.");
  });

  it("answers a question again, and sees its own earlier answer and the words of others", async () => {
    const asked = agentWith([answer("One."), answer("Two."), answer("Three.")], { checkpointer: true, name: "ask" });
    const graph = new StateGraph(Outer)
      .addNode("ask", asked.agent)
      .addNode("doubt", () => ({ messages: [new AIMessage({ name: "critic", content: "Sure?" })] }))
      .addEdge(START, "ask")
      .addConditionalEdges("ask", ({ messages }) => (messages.length < 4 ? "doubt" : "__end__"))
      .addEdge("doubt", "ask")
      .compile({ checkpointer: new MemorySaver() });
    await graph.invoke({ messages: "Which?" }, thread);
    expect(shownTo(asked.model)).toBe("Question: Which?\n\nSince then:\nask: One.\ncritic: Sure?\nThought:");
    await graph.invoke({ messages: "And then?" }, thread);
    expect(asked.model.calls.at(-1)?.prompt).toContain(
      "\nQ: Which?\nA: One.\nSure?\nTwo.\n\nBegin!\n\nQuestion: And then?\nThought:",
    );
  });

  it.each<[string, BaseMessageLike[], RegExp]>([
    ["has no human message", [new AIMessage("Hello.")], /The conversation has no human message/],
    ["has an empty question", [new HumanMessage(" "), new AIMessage("Hello.")], /The question is empty/],
  ])("refuses a conversation that %s", async (_case, messages, why) => {
    const asked = agentWith([]);
    const refused = around(asked).invoke({ messages });
    await expect(refused).rejects.toThrow(InvalidInputError);
    await expect(refused).rejects.toThrow(why);
  });
});

it("the name of an agent is on its messages, without characters that OpenAI refuses, also on that of a failed turn", async () => {
  const options = { name: " Research <and | or> a\\b/c ", checkpointer: new MemorySaver() };
  const { agent } = agentWith([new Error("away"), act("one"), answer("Two.")], options);
  await expect(agent.invoke({ messages: "One?" }, thread)).rejects.toThrow("away");
  const { messages } = await agent.invoke({ messages: "Two?" }, thread);
  const name = "Research_and_or_a_b_c";
  expect(messages.map(({ name }) => name)).toEqual([undefined, name, undefined, name, "echo", name]);
  const nameless = await agentWith([answer("One.")]).agent.invoke({ messages: "Which?" });
  expect(nameless.messages.map(({ name }) => name)).toEqual([undefined, undefined]);
});

it("only the answer of an agent in a tool reaches the agent outside", async () => {
  const inner = agentWith([act("one"), answer("Found.")], { name: "inner" });
  const ask = tool(async ({ input }) => (await inner.agent.invoke({ messages: input })).answer, {
    name: "ask",
    description: "Asks.",
    schema: z.object({ input: z.string() }),
  });
  const replies = [` I ask\nAction: ask\nAction Input: {"input":"Which?"}`, answer("That.")];
  const outer = agentWith([...replies, answer("Then.")], {
    tools: [ask],
    checkpointer: new MemorySaver(),
    name: "outer",
  });
  const state = await outer.agent.invoke({ messages: "Look." }, thread);
  expect(state.messages.map(({ name, text }) => [name, text])).toEqual([
    [undefined, "Look."],
    ["outer", "I ask"],
    ["ask", "Found."],
    ["outer", "That."],
  ]);
  expect(state.usage.thread.toolCalls).toBe(2);
  const { chatHistory } = await outer.agent.invoke({ messages: "And then?" }, thread);
  expect(chatHistory.turns.map(({ answer }) => answer)).toEqual(["That."]);
});
