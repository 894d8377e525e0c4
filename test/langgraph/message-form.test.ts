import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  ChatMessage,
  ChatMessageChunk,
  FunctionMessage,
  FunctionMessageChunk,
  HumanMessage,
  HumanMessageChunk,
  RemoveMessage,
  SystemMessage,
  SystemMessageChunk,
  ToolMessage,
  ToolMessageChunk,
} from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, test } from "vitest";
import { messageNames, readMessage } from "../../src/langgraph/message-form.js";
import { deserialize, serialize } from "../../src/threads/values/serialize.js";

const { serde } = new MemorySaver();
const toolCall = { id: "c1", name: "look", args: { input: "x" }, type: "tool_call" as const };
const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7 };

const messages: BaseMessage[] = [
  new HumanMessage("hello"),
  new HumanMessage({ id: "h1", name: "ann", content: 'with "lc" in its text', additional_kwargs: { some_key: 1 } }),
  new SystemMessage({ content: "be brief" }),
  new AIMessage({
    id: "a1",
    content: "",
    tool_calls: [toolCall],
    usage_metadata: usage,
    response_metadata: { a_b: 1 },
  }),
  new AIMessage({
    content: "x",
    invalid_tool_calls: [{ name: "look", args: "{", error: "bad", type: "invalid_tool_call" }],
  }),
  new ToolMessage({
    id: "t1",
    tool_call_id: "c1",
    name: "look",
    content: "seen",
    status: "error",
    artifact: { k: [1] },
  }),
  new HumanMessage({ content: [{ type: "text", text: "blocks" }] }),
  new AIMessage({
    content: "x",
    additional_kwargs: { lc: 1, type: "constructor", id: ["langchain_core", "messages"] },
  }),
  new AIMessageChunk({ content: "x", tool_call_chunks: [{ name: "look", args: "{", index: 0 }] }),
  new HumanMessageChunk("piece"),
  new SystemMessageChunk("piece"),
  new FunctionMessageChunk({ name: "look", content: "piece" }),
  new ChatMessageChunk({ role: "critic", content: "piece" }),
  new ChatMessage({ role: "critic", content: "no" }),
  new FunctionMessage({ name: "look", content: "seen" }),
  new RemoveMessage({ id: "h1" }),
];

const named = messages.map((message) => ({ kind: message.constructor.name, message }));

describe("a message is read as LangChain reads it", () => {
  test.each(named)("$kind $message.content", async ({ message }) => {
    const serialized = serialize(message);
    const [type, bytes] = await serde.dumpsTyped(message);
    const expected: unknown = await serde.loadsTyped(type, bytes);
    const read = deserialize(serialized);
    expect(read).toEqual(expected);
    expect(Object.getPrototypeOf(read)).toBe(Object.getPrototypeOf(expected));
    // Written again it is the same, so that its content is found again.
    expect(serialize(read)).toEqual(serialized);
  });

  test("and every class is tested here", () => {
    const tried = named.map(({ message }) => message.lc_id.at(-1));
    expect(new Set([...tried, "ToolMessageChunk"])).toEqual(new Set(messageNames));
  });
});

test("a tool message chunk keeps the id of its call, which LangChain's reader loses", () => {
  const piece = new ToolMessageChunk({ tool_call_id: "c1", content: "piece" });
  expect(deserialize(serialize(piece))).toEqual(piece);
});

test("a message that was given as content blocks keeps the blocks and its tool calls, also when it is read twice", () => {
  const given = new AIMessage({ contentBlocks: [{ type: "text", text: "I look" }], tool_calls: [toolCall] });
  const once = deserialize(serialize(given));
  const twice = deserialize(serialize(once));
  for (const read of [once, twice])
    expect(read).toMatchObject({ content: given.content, tool_calls: given.tool_calls });
  const human = new HumanMessage({ contentBlocks: [{ type: "text", text: "hello" }] });
  expect(deserialize(serialize(human))).toMatchObject({ content: human.content, text: "hello" });
});

test("a message of a user's own class comes back as the message of its type", () => {
  class Mine extends AIMessage {
    readonly extra = 1;
  }
  const read = deserialize(serialize([new Mine({ content: "hello", id: "m" })]));
  expect(read).toEqual([new AIMessage({ content: "hello", id: "m" })]);
});

test.each<[string, unknown]>([
  ["no fields", null],
  ["no content", {}],
  ["content that is a number", { content: 5 }],
  ["an id that is a list", { content: "x", id: ["x"] }],
  ["calls that are texts", { content: "x", tool_calls: ["x"] }],
  ["pieces of calls that are nothing", { content: "x", tool_call_chunks: [null] }],
  ["fields of the provider that are a list", { content: "x", additional_kwargs: [] }],
])("%s does not become a message", (_name, kwargs) => {
  for (const name of messageNames) expect(readMessage(name, kwargs)).toBeUndefined();
  expect(readMessage("constructor", { content: "x" })).toBeUndefined();
});
