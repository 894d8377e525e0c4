import { AIMessage, AIMessageChunk, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Command, Send } from "@langchain/langgraph";
import { DeltaSnapshot, MemorySaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, test } from "vitest";
import { serialize } from "../../../src/threads/values/serialize.js";
import { toJson } from "../../../src/threads/values/to-json.js";

const { serde } = new MemorySaver();

async function asLangGraphWrites(value: unknown): Promise<string> {
  const [, bytes] = await serde.dumpsTyped(value);
  return new TextDecoder().decode(bytes) || "null";
}

const circle: Record<string, unknown> = {};
circle.self = circle;
let deep: unknown = "the end";
for (let level = 0; level < 100; level += 1) deep = [deep];

describe("the JSON of a value", () => {
  test.each<[string, unknown]>([
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
    ["undefined", undefined],
    ["an undefined property", { a: undefined }],
    ["a hole in a list", Object.assign([], { 1: "b" })],
    ["sets and maps", { set: new Set([1, new Set([undefined])]), map: new Map([["a", new Map()]]) }],
    ["errors", [new Error("no"), new TypeError("never")]],
    ["a date", new Date(0)],
    ["bytes", [new Uint8Array([1, 255])]],
    ["a regular expression", { pattern: /a+/gi }],
    ["a snapshot of LangGraph", new DeltaSnapshot([1])],
    ["a message in an object", { message: new HumanMessage("What?") }],
    ["a packet for a node", new Send("node", { a: 1 })],
    ["a command", new Command({ goto: "node", update: { a: 1 } })],
    ["what goes round in a circle", circle],
    ["what is deep", deep],
    ["an object that says how it is written", { toJSON: () => "me" }],
    [
      "an object of a class",
      new (class Point {
        x = 1;
        y = undefined;
      })(),
    ],
    ["a function", () => 1],
  ])("equals LangGraph's JSON of %s", async (_name, value) => {
    expect(toJson(value)).toBe(await asLangGraphWrites(value));
  });

  test("has a placeholder for a part that JSON cannot express, and keeps the rest", () => {
    const tooDeep = Array.from({ length: 10_000 }).reduce<unknown>((inner) => ({ inner }), "the end");
    expect(JSON.parse(toJson({ size: 12n, tooDeep, rest: true }))).toMatchObject({ size: "12", rest: true });
    let maps: unknown = "the end";
    for (let level = 0; level < 10_000; level += 1) maps = new Map([["inner", maps]]);
    expect(toJson(maps)).toContain("[...]");
    const itself = { toJSON: () => itself, a: 1 };
    expect(toJson([itself])).toBe('[{"a":1}]');
  });
});

test("bytes are written as base64, all of a buffer and no more", () => {
  const part = Buffer.from("no abc no").subarray(3, 6);
  expect(serialize(part)).toMatchObject({ type: "bytes", content: Buffer.from("abc").toString("base64") });
});
