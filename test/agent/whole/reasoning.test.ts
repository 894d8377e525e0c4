import { expect, it } from "vitest";
import { createAgent, loadModel } from "../../../src/index.js";
import type { Way } from "../../helpers/lines.js";
import { deepseek } from "../../helpers/providers/chat.js";
import { startProvider } from "../../helpers/providers/provider-server.js";
import { called, reasoning, spoken } from "../../helpers/providers/responses.js";
import { piecesOf } from "../../helpers/turn-events.js";
import { heldByUs, look } from "./talk.js";
import { call, chat, recorded, whole } from "./ways.js";

const made = [{ id: "toolu_1", name: "look", args: { q: "x" } }];
const thought = "I should look. Then I count.";
const text = { type: "text", text: "It is 5." };

const step = { content: [{ type: "thinking", thinking: thought, signature: "S" }], tool_calls: made };
const answer = { content: [{ type: "thinking", thinking: "Done.", signature: "S" }, text] };
const inList = (words: string) => ({ type: "thinking", thinking: [{ type: "text", text: words }] });
const inFields = [
  { calls: [call("call_1", "x")], more: { reasoning_content: thought } },
  { content: "It is 5.", more: { reasoning_content: "Done." } },
];

/** The forms in which packages give what a model thought: in its step, and in its answer. */
const rows: readonly (readonly [string, Way])[] = [
  ["signed blocks", recorded(step, answer)],
  [
    "standard blocks",
    recorded(
      { content: [{ type: "reasoning", reasoning: thought }], tool_calls: made },
      { content: [{ type: "reasoning", reasoning: "Done." }, text] },
    ),
  ],
  [
    "blocks with a list",
    recorded({ content: [inList(thought)], tool_calls: made }, { content: [inList("Done."), text] }),
  ],
  ["a field of a whole message", whole(...inFields)],
  ["a field of a streamed message", chat(...inFields)],
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

it.each(rows)(
  "what a model thought, given in %s, is told, streamed and kept, and no part of the answer",
  async (_, line) => {
    const { events, answers, messages, exported, state } = await heldByUs({ line, questions: ["How many?"] });
    const told = (type: "reasoning" | "reasoning-delta" | "answer") =>
      events.flatMap((event) => (event.type === type ? [event.text] : []));
    expect(told("reasoning")).toEqual([thought, "Done."]);
    expect(told("reasoning-delta").join("")).toBe(`${thought}Done.`);
    expect([told("answer"), answers, [piecesOf(events)]]).toEqual(Array(3).fill(["It is 5."]));
    expect(JSON.stringify(messages[1])).toContain(thought);
    expect(exported).toContain(thought);
    // In the state it stands once when its turn has ended.
    expect(JSON.stringify({ ...state, messages: [] })).not.toContain(thought);
  },
);

it("a server that needs its model's reasoning back gets the reasoning in the same field", async () => {
  await using server = await startProvider(deepseek, inFields);
  const model = await loadModel("openai:deepseek-reasoner", { baseUrl: `${server.url}/v1`, apiKey: "k12345678" });
  const { answer: said } = await createAgent({ model, tools: [look()] }).invoke({ messages: "How many?" });
  expect(said).toBe("It is 5.");
  expect(JSON.stringify(server.requests[1]?.messages)).toContain(thought);
});
