import { AIMessage, AIMessageChunk, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Send } from "@langchain/langgraph";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { plainJson } from "../../../src/threads/values/plain-json.js";
import { serialize } from "../../../src/threads/values/serialize.js";

const { serde } = new MemorySaver();

async function asLangGraphWrites(value: unknown): Promise<string> {
  const [, bytes] = await serde.dumpsTyped(value);
  return new TextDecoder().decode(bytes);
}

const circle: Record<string, unknown> = {};
circle.self = circle;
let deep: unknown = "the end";
for (let level = 0; level < 100; level += 1) deep = [deep];

describe("the JSON of plain data", () => {
  it.each<[string, unknown]>([
    ["a text", "two\nlines \u2028 \ud800"],
    ["numbers", [0, -0, 1.5, 1e300, Number.NaN, Number.POSITIVE_INFINITY]],
    ["nothing", null],
    ["nested data", { a: [{ b: true }, []], "": {}, 1: "one" }],
    ["an object without a prototype", Object.assign(Object.create(null), { a: 1 })],
    ["a question", new HumanMessage("What?")],
    ["a question in blocks", new HumanMessage({ id: "1", content: [{ type: "text", text: "What?" }] })],
    [
      "a message with tool calls",
      new AIMessage({ content: "I look", tool_calls: [{ id: "1", name: "look", args: { at: [1] } }] }),
    ],
    [
      "a message with usage",
      new AIMessageChunk({ content: "x", usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } }),
    ],
    ["an observation", new ToolMessage({ tool_call_id: "1", content: "seen", status: "error" })],
  ])("is what LangGraph writes of %s", async (_name, value) => {
    expect(plainJson(value)).toBe(await asLangGraphWrites(value));
  });

  it.each<[string, unknown]>([
    ["undefined", undefined],
    ["an undefined property", { a: undefined }],
    ["a hole in a list", Object.assign([], { 1: "b" })],
    ["a set", new Set([1])],
    ["an error in a list", [new Error("no")]],
    ["a date", new Date(0)],
    ["bytes", new Uint8Array([1])],
    ["a message in an object", { message: new HumanMessage("What?") }],
    ["a packet for a node", new Send("node", {})],
    ["what goes round in a circle", circle],
    ["what is very deep", deep],
    ["an object that says how it is written", { toJSON: () => "me" }],
    ["a function", () => 1],
  ])("leaves %s to LangGraph", async (_name, value) => {
    expect(plainJson(value)).toBeUndefined();
    const { type, content } = await serialize(serde, value);
    if (type === "json") expect(content).toBe((await asLangGraphWrites(value)) || "null");
  });
});
