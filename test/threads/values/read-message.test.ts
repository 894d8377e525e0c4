import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  ChatMessage,
  FunctionMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, test } from "vitest";
import { readUsualMessage } from "../../../src/threads/values/read-message.js";
import { deserialize, serialize } from "../../../src/threads/values/serialize.js";

const { serde } = new MemorySaver();
const toolCall = { id: "c1", name: "look", args: { input: "x" }, type: "tool_call" as const };
const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7 };

const usual: BaseMessage[] = [
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
];

const others: BaseMessage[] = [
  new HumanMessage({ content: [{ type: "text", text: "blocks" }] }),
  new AIMessage({
    content: "x",
    additional_kwargs: { lc: 1, type: "constructor", id: ["langchain_core", "messages"] },
  }),
  new AIMessageChunk({ content: "x", tool_call_chunks: [{ name: "look", args: "{", index: 0 }] }),
  new ChatMessage({ role: "critic", content: "no" }),
  new FunctionMessage({ name: "look", content: "seen" }),
  new RemoveMessage({ id: "h1" }),
];

const named = (messages: BaseMessage[]) => messages.map((message) => ({ kind: message.constructor.name, message }));

describe("a message is read as LangGraph reads it", () => {
  test.each(named([...usual, ...others]))("$kind $message.content", async ({ message }) => {
    const serialized = await serialize(serde, message);
    const expected: unknown = await serde.loadsTyped(serialized.type, serialized.content);
    const read = await deserialize(serde, serialized);
    expect(read).toEqual(expected);
    expect(Object.getPrototypeOf(read)).toBe(Object.getPrototypeOf(expected));
    // Written again it is the same, so that its content is found again.
    expect(await serialize(serde, read)).toEqual(await serialize(serde, expected));
  });
});

describe("LangChain's slow reader is left out for", () => {
  test.each(named(usual))("$kind $message.content", async ({ message }) => {
    expect(readUsualMessage((await serialize(serde, message)).content)).toBeDefined();
  });
});

describe("LangChain's own reader is kept for", () => {
  test.each(named(others))("$kind $message.content", async ({ message }) => {
    expect(readUsualMessage((await serialize(serde, message)).content)).toBeUndefined();
  });
});

test("sets, maps, errors, bytes and undefined come back", async () => {
  const value = { set: new Set([1]), map: new Map([["a", 1]]), error: new Error("no"), nothing: undefined };
  expect(await deserialize(serde, await serialize(serde, value))).toEqual(value);
  const bytes = new Uint8Array([0, 255, 7]);
  expect(await deserialize(serde, await serialize(serde, bytes))).toEqual(bytes);
});
