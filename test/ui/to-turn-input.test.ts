import { HumanMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { expect, it } from "vitest";
import { toTurnInput } from "../../src/ui/index.js";

const words = { type: "text", text: "What is it?" };
const user = (...parts: readonly unknown[]) => [
  { id: "0", role: "assistant", parts: [words] },
  { id: "1", role: "user", parts },
];
const file = (mediaType: string, url: string, more = {}) => ({ type: "file", mediaType, url, ...more });

it.each([
  { about: "a text is a text", parts: [words], content: "What is it?" },
  {
    about: "a picture of the page is a block with its data",
    parts: [words, file("image/png", "data:image/png;base64,iVBORw0=", { filename: "cat.png" })],
    content: [words, { type: "image", mimeType: "image/png", data: "iVBORw0=", metadata: { filename: "cat.png" } }],
  },
  {
    about: "a file on the web is a block with its address",
    parts: [file("application/pdf", "https://x.test/a.pdf"), words],
    content: [{ type: "file", mimeType: "application/pdf", url: "https://x.test/a.pdf" }, words],
  },
])("$about", ({ parts, content }) => {
  expect(toTurnInput(user(...parts))).toEqual({ messages: [new HumanMessage({ content })] });
});

it("an empty message is passed to the agent, which says that the question is empty", () => {
  expect(toTurnInput(user())).toEqual({ messages: [new HumanMessage({ content: [] })] });
});

it("the answers of a person are decisions about the calls that were shown", () => {
  const answered = (approval: object) => ({ type: "dynamic-tool", state: "approval-responded", approval });
  const parts = [
    { type: "step-start" },
    { type: "dynamic-tool", state: "output-available", approval: { id: "before", approved: true } },
    answered({ id: "a", approved: true, signature: "12" }),
    answered({ id: "b", approved: false, reason: "Too much" }),
  ];
  const input = toTurnInput([{ role: "assistant", parts }]);
  expect(input).toBeInstanceOf(Command);
  expect(input).toMatchObject({
    resume: { a: { type: "approve", digest: "12" }, b: { type: "refuse", reason: "Too much" } },
  });
});

it.each([
  ["no messages", undefined],
  ["an empty list", []],
  ["a message of the system", [{ role: "system", parts: [words] }]],
  ["an answer without decisions", [{ role: "assistant", parts: [words] }]],
  ["a part of a kind of its own", user(words, { type: "data-place", data: 1 })],
  ["a file without an address", user({ type: "file", mediaType: "image/png" })],
])("%s is refused with the possible values", (_about, messages) => {
  expect(() => toTurnInput(messages)).toThrow(
    /^messages: .*give messages of useChat, the last with a question or decisions/,
  );
});
