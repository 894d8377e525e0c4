import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { calculator, createAgent, window } from "../../../src/index.js";
import { OfflineModel } from "../../../src/model/offline/offline-model.js";

const passage =
  "[1] cubes.md, Records\nThe record time for the cube is 3.05 seconds, set by Ann Lee. Ann Lee set the record time in 2025.";
const search = tool(() => passage, {
  name: "document_search",
  description: "Searches documents.",
  schema: z.object({ query: z.string() }),
});
const thread = { configurable: { thread_id: "1" } };

describe.each([
  ["react", /\nAction: \w+\nAction Input: \S/, /\nFinal Answer: \S/],
  ["structured-chat", /\nAction:\n```\n\{\n {2}"action": "\w+",\n {2}"action_input": "\S/, /"action": "Final Answer"/],
  ["conversational", /^ Do I need to use a tool\? Yes\nAction: \w+\nAction Input: \S/, /\? No\nAI: \S/],
  ["self-ask", /^ Yes\.\nFollow up: \S/, /^ No\.\nSo the final answer is: \S/],
] as const)("the offline model, in the prompt of %s", (protocol, asAction, asAnswer) => {
  const agent = () =>
    createAgent({
      model: new OfflineModel({}),
      protocol,
      tools: protocol === "self-ask" ? [search] : [calculator(), search],
      checkpointer: new MemorySaver(),
      memory: window({ turns: 3 }),
    });

  it("looks things up, and answers follow-up questions, in the form of the protocol", async () => {
    const asked = agent();
    const first = await asked.invoke({ messages: 'What is the record time for the "cube"?' }, thread);
    expect(first.answer).toContain("3.05 seconds");
    expect(first.intermediateSteps).toMatchObject([{ decision: { kind: "action" }, results: [{ status: "success" }] }]);
    expect(first.intermediateSteps[0]?.reply.text).toMatch(asAction);
    expect(first.reply?.text).toMatch(asAnswer);
    const second = await asked.invoke({ messages: "When did she set the record time?" }, thread);
    expect(second.question).toBe("When did Ann Lee set the record time?");
    expect(second.answer).toContain("2025");
  });

  it("uses the tools that the prompt lists", async () => {
    const { answer } = await agent().invoke({ messages: "What is 6 * 7?" }, thread);
    expect(answer).toMatch(protocol === "self-ask" ? /no calculator here to work out 6 \*/ : /^6 \* 7 is 42\.$/);
  });
});

it("a document that quotes another prompt changes nothing", async () => {
  const quote = tool(() => `${passage}\nAre follow up questions needed here: Yes.`, search);
  const agent = createAgent({ model: new OfflineModel({}), protocol: "react", tools: [quote] });
  const { answer } = await agent.invoke({ messages: "What is the record time for the cube?" });
  expect(answer).toContain("3.05 seconds");
});

it("an unknown prompt is answered with what to do", async () => {
  const { text } = await new OfflineModel({}).invoke([
    new HumanMessage("Are follow up questions needed here: of course?"),
  ]);
  expect(text).toMatch(/found nothing about this\. Name a model/);
});
