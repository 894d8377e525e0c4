import { describe, expect, it } from "vitest";
import { createAgent, loadModel } from "../../../src/index.js";
import type { Way } from "../../helpers/lines.js";
import { deepseek } from "../../helpers/providers/chat.js";
import { startProvider } from "../../helpers/providers/provider-server.js";
import { called, reasoning, spoken } from "../../helpers/providers/responses.js";
import { type HeldByUs, heldByUs, look } from "./talk.js";

const call = { id: "call_1", name: "look", args: '{"q":"x"}' };
const made = [{ id: "toolu_1", name: "look", args: { q: "x" } }];
const thought = "I should look. Then I count.";
const text = { type: "text", text: "It is 5." };

const step = { content: [{ type: "thinking", thinking: thought, signature: "S" }], tool_calls: made };
const answer = { content: [{ type: "thinking", thinking: "Done.", signature: "S" }, text] };
const inList = (words: string) => ({ type: "thinking", thinking: [{ type: "text", text: words }] });

/** The forms in which packages give what a model thought: in its step, and in its answer. */
const rows: readonly (readonly [string, Way])[] = [
  ["signed blocks", { way: "recorded", replies: [step, answer] }],
  [
    "standard blocks",
    {
      way: "recorded",
      replies: [
        { content: [{ type: "reasoning", reasoning: thought }], tool_calls: made },
        { content: [{ type: "reasoning", reasoning: "Done." }, text] },
      ],
    },
  ],
  [
    "blocks with a list",
    {
      way: "recorded",
      replies: [{ content: [inList(thought)], tool_calls: made }, { content: [inList("Done."), text] }],
    },
  ],
  [
    "a field of a whole message",
    {
      way: "whole",
      replies: [
        { calls: [call], more: { reasoning_content: thought } },
        { content: "It is 5.", more: { reasoning_content: "Done." } },
      ],
    },
  ],
  [
    "a field of a streamed message",
    {
      way: "streamed",
      replies: [
        { calls: [call], more: { reasoning_content: thought } },
        { content: "It is 5.", more: { reasoning_content: "Done." } },
      ],
    },
  ],
  [
    "items of the Responses API",
    {
      way: "responses",
      replies: [
        { id: "resp_1", output: [reasoning("1", thought), called("1", "look", '{"q":"x"}')] },
        { id: "resp_2", output: [reasoning("2", "Done."), spoken("2", "It is 5.")] },
      ],
    },
  ],
];

describe.each(rows)("what a model thought, given in %s", (_form, line) => {
  let once: Promise<HeldByUs> | undefined;
  const held = () => (once ??= heldByUs({ line, questions: ["How many?"] }));

  it("is in an event of each step", async () => {
    const { events } = await held();
    const told = events.flatMap((event) => (Object(event).type === "reasoning" ? [Object(event).text] : []));
    expect(told).toEqual([thought, "Done."]);
  });

  it("is streamed in pieces that join to the whole", async () => {
    const { events } = await held();
    const pieces = events.flatMap((event) => (Object(event).type === "reasoning-delta" ? [Object(event).text] : []));
    expect(pieces.join("")).toBe(`${thought}Done.`);
  });

  it("is no part of the answer", async () => {
    const { events, answers } = await held();
    expect(answers).toEqual(["It is 5."]);
    expect(events.flatMap((event) => (event.type === "answer-delta" ? [event.text] : [])).join("")).toBe("It is 5.");
    expect(events.find(({ type }) => type === "answer")).toMatchObject({ text: "It is 5." });
  });

  it("is kept in messages, and exported", async () => {
    const { messages, exported } = await held();
    expect(JSON.stringify(messages[1])).toContain(thought);
    expect(exported).toContain(thought);
  });

  it("is in the state once when its turn has ended", async () => {
    const { state } = await held();
    const { messages: _, ...others } = state;
    expect(JSON.stringify(others)).not.toContain(thought);
  });
});

it("a server that needs its model's reasoning back gets the reasoning in the same field", async () => {
  const replies = [
    { calls: [call], more: { reasoning_content: thought } },
    { content: "It is 5.", more: { reasoning_content: "Done." } },
  ];
  await using server = await startProvider(deepseek, replies);
  const model = await loadModel("openai:deepseek-reasoner", { baseUrl: `${server.url}/v1`, apiKey: "k12345678" });
  const { answer: said } = await createAgent({ model, tools: [look()] }).invoke({ messages: "How many?" });
  expect(said).toBe("It is 5.");
  expect(JSON.stringify(server.requests[1]?.messages)).toContain(thought);
});
