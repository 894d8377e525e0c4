import { expect, test } from "vitest";
import { askedThread, served } from "./access/served.js";

test.each<[string, object, sentence: string]>([
  ["a message of an unknown type", { values: { messages: [{ type: "nobody", content: "Hi" }] } }, "coerce message"],
  ["messages that are none", { values: { messages: 5 } }, "coerce message"],
  ["a message to remove that is not there", { values: { messages: [{ type: "remove", id: "m9" }] } }, "doesn't exist"],
  ["a value of another form", { values: { question: 5 } }, 'field "question"'],
  ["a node that the graph has not", { values: {}, as_node: "nobody" }, '"nobody"'],
])("an update with %s is refused, and changes nothing", async (_, body, sentence) => {
  const { send } = await served();
  const thread = await askedThread(send);
  const states = async () => (await send("POST", `/threads/${thread}/history`, { body: {} })).text();
  const before = await states();
  const refused = await send("POST", `/threads/${thread}/state`, { body });
  expect([refused.status, await refused.json()]).toEqual([
    422,
    { error: "unprocessable", message: expect.stringContaining(sentence) },
  ]);
  expect(await states()).toBe(before);
});
