import { MemorySaver } from "@langchain/langgraph";
import { expect, it } from "vitest";
import { calculator, createAgent, streamTurn } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { allOf, stepsIn } from "../helpers/turn-events.js";

it("an unreadable reply is told as a thought, and an empty one only by its correction", async () => {
  const model = scriptedModel(["Action:", " \n", " I know\nFinal Answer: Four."]);
  const agent = createAgent({ model, protocol: "react" });
  const events = await allOf(streamTurn(agent, { messages: "What is 2 + 2?" }));
  expect(stepsIn(events)).toMatchObject([
    { type: "question" },
    { type: "thought", text: "Action:" },
    { type: "correction" },
    { type: "correction" },
    { type: "answer", text: "Four." },
  ]);
  model.assertComplete();
});

it("an answer is told in pieces while it is written, but one that follows an action is not: it is no answer", async () => {
  const model = scriptedModel([
    " I work it out\nAction: calculator\nAction Input: 2+2\nFinal Answer: It is five.",
    " I know\nFinal Answer: It is four.",
  ]);
  const agent = createAgent({ model, tools: [calculator()], protocol: "react" });
  const pieces: string[] = [];
  for await (const event of streamTurn(agent, { messages: "What is 2 + 2?" }))
    if (event.type === "answer-delta") pieces.push(event.text);
  expect(pieces).toEqual(["It", " is", " four."]);
  model.assertComplete();
});

it("LangGraph's stream of messages has each message of a step and each answer once, and no tokens of the model", async () => {
  const model = scriptedModel([
    " I work it out\nAction: calculator\nAction Input: 2+2",
    " I know\nFinal Answer: It is four.",
    "Is four an even number?",
    " I know\nFinal Answer: Yes, it is.",
  ]);
  const agent = createAgent({ model, tools: [calculator()], protocol: "react", checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: "t" }, streamMode: "messages" as const };
  const shown: [node: unknown, text: string][] = [];
  for (const question of ["What is 2 + 2?", "Is that even?"]) {
    for await (const [message, { langgraph_node }] of await agent.stream({ messages: question }, config))
      shown.push([langgraph_node, message.text]);
  }
  expect(shown).toEqual([
    ["parse", "I work it out"],
    ["act", "4"],
    ["parse", "It is four."],
    ["parse", "Yes, it is."],
  ]);
  model.assertComplete();
});
