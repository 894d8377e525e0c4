import { expect, it } from "vitest";
import { z } from "zod";
import { createAgent } from "../../../src/index.js";
import { modelAt } from "../../helpers/openai-server.js";
import { chunk, startWireServer, type WireResponse } from "../../helpers/wire-server.js";

const output = z.object({ city: z.string(), visited: z.boolean().nullable() });
const done = "data: [DONE]\n\n";

const piece = (args: string, rest: object = {}) =>
  chunk({ tool_calls: [{ index: 0, function: { arguments: args }, ...rest }] });
const callStart = { id: "c1", type: "function", function: { name: "final_answer", arguments: "" } };

function whole(message: object): WireResponse {
  const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }];
  return { body: JSON.stringify({ id: "1", object: "chat.completion", created: 1, model: "m", choices }) };
}

const answered = { output: { city: "Suva", visited: null }, stopReason: "answered" };
const json = '{"city":"Suva","visited":null}';

/** The shapes of recorded replies of servers, with other words in them. */
const shapes: readonly [string, WireResponse, object][] = [
  [
    "an answer by call, in pieces",
    {
      body: [
        chunk({ role: "assistant", content: null, tool_calls: [{ index: 0, ...callStart }] }),
        ...['{"ci', 'ty": "Suva', '", "visited": nu', "ll}"].map((args) => piece(args)),
        chunk({}, "tool_calls"),
        done,
      ].join(""),
    },
    answered,
  ],
  [
    "JSON in pieces, with spaces in it",
    {
      body:
        ['{ "city"', ' : "Su', 'va",\n\n  "visited": null }'].map((content) => chunk({ content })).join("") +
        chunk({}, "stop") +
        done,
    },
    answered,
  ],
  [
    "a refusal in pieces",
    { body: ["I cannot ", "say that."].map((refusal) => chunk({ refusal })).join("") + chunk({}, "stop") + done },
    { output: null, stopReason: "refused", answer: "I cannot say that." },
  ],
  [
    "a whole reply with a field of its own for the JSON",
    whole({ content: json, parsed: JSON.parse(json), refusal: null }),
    answered,
  ],
  ["a whole refusal", whole({ content: null, refusal: "No." }), { output: null, stopReason: "refused", answer: "No." }],
  [
    "two answers by call in one whole reply",
    whole({
      content: null,
      tool_calls: ["Suva", "Lima"].map((city, n) => ({
        id: `c${n}`,
        type: "function",
        function: { name: "final_answer", arguments: JSON.stringify({ city, visited: null }) },
      })),
    }),
    answered,
  ],
];

it.each(shapes)("the output is read in %s", async (_shape, response, state) => {
  await using server = await startWireServer([response]);
  for (const model of ["gpt-4o-mini", "m"]) {
    const asked = modelAt(server.url, { model });
    expect(await createAgent({ model: asked, output }).invoke({ messages: "Which city?" })).toMatchObject(state);
  }
});
