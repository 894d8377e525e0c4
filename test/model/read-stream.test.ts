import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import type { ToolCallChunk } from "@langchain/core/messages/tool";
import { describe, expect, it } from "vitest";
import { endingOf } from "../../src/core/state/finish-reason.js";
import { readStream } from "../../src/model/read-stream.js";

/** A piece of a call as servers may send it: its arguments are not always a text. */
type Piece = Partial<Record<"id" | "name" | "args" | "index" | "isCustomTool", unknown>>;

/** Reads chunks with pieces of calls. The pieces of one list are in one chunk. */
function callsOf(...chunks: readonly (readonly Piece[])[]) {
  const read = readStream(
    chunks.map((pieces) => {
      const tool_call_chunks: ToolCallChunk[] = JSON.parse(JSON.stringify(pieces));
      return new AIMessageChunk({ content: "", tool_call_chunks });
    }),
  );
  if ("cut" in read) throw read.cut;
  return [...read.toolCalls, ...read.invalidToolCalls].map(({ name, args }) => [name, args]);
}

const one = { index: 0, id: "x1", name: "add" };

describe("the pieces of calls in a stream", () => {
  it.each<[string, readonly (readonly Piece[])[], readonly unknown[]]>([
    [
      "are joined by their index",
      [
        [
          { ...one, args: '{"a":' },
          { index: 1, id: "x2", name: "sub", args: "{}" },
        ],
        [{ index: 0, args: "1}" }],
      ],
      [
        ["add", { a: 1 }],
        ["sub", {}],
      ],
    ],
    [
      "may have one index twice in a chunk",
      [
        [
          { ...one, args: "" },
          { index: 0, args: '{"a":1' },
        ],
        [{ index: 0, args: "}" }],
      ],
      [["add", { a: 1 }]],
    ],
    [
      "are two calls if two ids share an index",
      [
        [{ ...one, args: '{"a":' }],
        [{ index: 0, args: "1}" }],
        [{ ...one, id: "x2", args: '{"a":' }],
        [{ index: 0, args: "2}" }],
      ],
      [
        ["add", { a: 1 }],
        ["add", { a: 2 }],
      ],
    ],
    [
      "are one call if each repeats its id and its name",
      [[{ ...one, args: '{"a":' }], [{ ...one, args: "1}" }]],
      [["add", { a: 1 }]],
    ],
    [
      "are two calls if each is whole and has no id",
      [[{ name: "add", args: "{}" }], [{ name: "add", args: '{"a":1}' }]],
      [
        ["add", {}],
        ["add", { a: 1 }],
      ],
    ],
    [
      "are one call if Mistral's client writes null for an id",
      [[{ ...one, args: '{"a":' }], [{ index: 0, id: "null", name: "", args: "1}" }]],
      [["add", { a: 1 }]],
    ],
    ["may cut a name", [[{ ...one, name: "ad", args: "" }], [{ index: 0, name: "d", args: "{}" }]], [["add", {}]]],
    ["may have an object", [[{ ...one, args: { a: 1 } }]], [["add", { a: 1 }]]],
    ["may have no arguments", [[{ ...one, args: null }]], [["add", {}]]],
    ["may be encoded twice", [[{ ...one, args: JSON.stringify('{"a":1}') }]], [["add", { a: 1 }]]],
    [
      "are the input of a custom tool",
      [[{ ...one, args: "1 +", isCustomTool: true }], [{ index: 0, args: " 2" }]],
      [["add", { input: "1 + 2" }]],
    ],
    ["are not completed inside a text", [[{ ...one, args: '{"to":"Ann Sm' }]], [["add", '{"to":"Ann Sm']]],
    ["are not completed inside a number", [[{ ...one, args: '{"amount":1' }]], [["add", '{"amount":1']]],
    ["are no list", [[{ ...one, args: "[1]" }]], [["add", "[1]"]]],
  ])("%s", (_, chunks, calls) => {
    expect(callsOf(...chunks)).toEqual(calls);
  });

  it("of OpenAI's older form are a call, in pieces and whole", () => {
    const pieces = [{ name: "add", arguments: '{"a":' }, { arguments: "1}" }].map(
      (function_call) =>
        new AIMessageChunk({ content: "", additional_kwargs: { function_call: Object(function_call) } }),
    );
    const function_call = { name: "add", arguments: '{"a":1}' };
    for (const chunks of [pieces, [new AIMessage({ content: "", additional_kwargs: { function_call } })]])
      expect(readStream(chunks)).toMatchObject({ toolCalls: [{ name: "add", args: { a: 1 } }] });
  });
});

describe("the end of a stream", () => {
  const half = new AIMessageChunk("Half an ans");
  const end = (metadata: object) => new AIMessageChunk({ content: "", response_metadata: { ...metadata } });

  it.each([
    ["anthropic", new AIMessageChunk({ content: "", additional_kwargs: { stop_reason: "end_turn" } })],
    ["googlegenerativeai", end({ finishReason: "STOP" })],
    ["groq", end({ finish_reason: "stop" })],
  ])("must be seen if the package shows it: %s", (provider, last) => {
    expect(readStream([half], provider)).toMatchObject({ cut: { code: "ECONNRESET" } });
    expect(readStream([], provider)).toHaveProperty("cut");
    expect(readStream([half, last], provider)).toMatchObject({ text: "Half an ans" });
    expect(readStream([half])).toMatchObject({ text: "Half an ans" });
  });

  it("of a package that nobody tried need not be seen", () => {
    expect(readStream([half], "other")).toMatchObject({ text: "Half an ans" });
  });

  it("is a failure if the server says that it failed", () => {
    expect(readStream([half, end({ finish_reason: "network_error" })])).toMatchObject({
      cut: { error: { message: expect.stringContaining('"network_error"') } },
    });
  });

  it("is the last word that a chunk has, not the words of all chunks in one", () => {
    const chunks = [end({ finish_reason: "stop" }), end({ finish_reason: "stop" }), end({ finish_reason: "" })];
    expect(readStream(chunks)).toMatchObject({ finishReason: "stop" });
    const incomplete_details = { reason: "max_output_tokens" };
    expect(readStream([end({ incomplete_details })])).toMatchObject({ finishReason: "max_output_tokens" });
  });
});

it.each([
  [
    "whole",
    [
      undefined,
      "",
      "stop",
      "STOP",
      "eos",
      "eos_token",
      "end_turn",
      "COMPLETE",
      "completed",
      "tool_use",
      "tool_calls",
      "function_call",
      "callTool",
    ],
  ],
  ["length", ["length", "MAX_TOKENS", "model_length", "model_context_window_exceeded"]],
  ["filtered", ["content_filter", "SAFETY", "sensitive", "PROMPT_BLOCKED: OTHER"]],
  ["refused", ["refusal"]],
  ["paused", ["pause_turn"]],
  ["failed", ["error", "network_error", "abort", "OTHER", "insufficient_system_resource"]],
  ["unknown", ["natural", "endpoint_moved", "stopped"]],
] as const)("a finish reason means %s: %j", (ending, words) => {
  expect(words.map((word) => endingOf(word))).toEqual(words.map(() => ending));
});
