import { expect, it, vi } from "vitest";

vi.stubGlobal("location", new URL("http://127.0.0.1:2024/"));
const { messagesIn } = await import("../../src/frame/plain-thread.js");

it.each([
  [{ values: { messages: [{ type: "human", content: "Hello" }] } }, [{ type: "human", text: "Hello" }]],
  [
    { values: { messages: [{ type: "ai", content: [{ type: "text", text: "See" }, { type: "image_url" }] }] } },
    [{ type: "ai", text: "See\n(image_url)" }],
  ],
  [
    { values: { messages: [null, { content: 5 }] } },
    [
      { type: "message", text: "" },
      { type: "message", text: "" },
    ],
  ],
  [{ values: { messages: "none" } }, []],
  [{ values: null }, []],
  [null, []],
])("reads the messages of a state: %j", (state, messages) => {
  expect(messagesIn(state)).toEqual(messages);
});
