import { expect, it } from "vitest";
import { calculator, createAgent, streamTurn } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { allOf, stepsIn } from "../helpers/turn-events.js";

it("an unreadable reply has a thought event, and an empty one only its correction", async () => {
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

it("an answer is streamed while it is written, but not text like an answer after an action", async () => {
  const model = scriptedModel([
    " I work it out\nAction: calculator\nAction Input: 2+2\nFinal Answer: It is five.",
    " I know\nFinal Answer: It is four.",
  ]);
  const agent = createAgent({ model, tools: [calculator()], protocol: "react" });
  const events = await allOf(streamTurn(agent, { messages: "What is 2 + 2?" }));
  const pieces = events.flatMap((event) => (event.type === "answer-delta" ? [event.text] : []));
  // A piece with which a known key may begin waits for the next one.
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.join("")).toBe("It is four.");
  model.assertComplete();
});
