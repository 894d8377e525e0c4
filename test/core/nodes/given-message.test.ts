import { expect, it } from "vitest";
import { followedMessage } from "../../../src/core/nodes/given-message.js";

const action = { id: "r-1", tool: "look", toolInput: { q: "x" }, log: "" };

it.each([
  ["stays if it is a text, which a server takes back", "I should look.", { reasoning: "I should look." }],
  ["goes if it is a part of the Responses API's output", { id: "rs_1", summary: [] }, {}],
])("the reasoning beside a call that was read in the text %s", (_, reasoning, kept) => {
  const reply = { text: "…", toolCalls: [], invalidToolCalls: [], message: { additional_kwargs: { reasoning } } };
  expect(followedMessage(reply, [action], "I look.")).toMatchObject({ content: "I look.", additional_kwargs: kept });
  expect(followedMessage(reply, [action], "I look.").additional_kwargs).toEqual(kept);
});
