import { expect, it } from "vitest";
import { createAgent, streamTurn, type TurnEvent } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";

it("an unreadable reply is told as a thought, and an empty one only by its correction", async () => {
  const model = scriptedModel(["Action:", " \n", " I know\nFinal Answer: Four."]);
  const agent = createAgent({ model, protocol: "react" });
  const events: TurnEvent[] = [];
  for await (const event of streamTurn(agent, { messages: "What is 2 + 2?" })) events.push(event);
  expect(events.filter(({ type }) => type !== "answer-delta")).toMatchObject([
    { type: "question" },
    { type: "thought", text: "Action:" },
    { type: "observation", status: "error" },
    { type: "observation", status: "error" },
    { type: "answer", text: "Four." },
  ]);
  model.assertComplete();
});
