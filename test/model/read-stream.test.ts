import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import type { ToolCallChunk } from "@langchain/core/messages/tool";
import { describe, expect, it } from "vitest";
import { readStream } from "../../src/model/read-stream.js";
import { endingOf } from "../../src/provider-forms/finish-reason.js";

/** Reads chunks with pieces of calls: "INDEX ID NAME ARGUMENTS", with "-" for none. The pieces of one text are in one chunk. */
function callsOf(...chunks: readonly string[]) {
  const read = readStream(
    chunks.map((text) => {
      const tool_call_chunks = text.split(" & ").map((piece): ToolCallChunk => {
        const [index, id, name, ...args] = piece.split(" ").map((field) => (field === "-" ? undefined : field));
        const written = { id, name, args: args.join(" ") };
        return index === undefined ? written : { ...written, index: Number(index) };
      });
      return new AIMessageChunk({ content: "", tool_call_chunks });
    }),
  );
  if ("cut" in read) throw read.cut;
  return [...read.toolCalls, ...read.invalidToolCalls].map(({ name, args }) => [name, args]);
}

const add = ["add", { a: 1 }];

describe("the pieces of calls in a stream", () => {
  it.each<[string, readonly string[], readonly unknown[]]>([
    ["are joined by their index", ['0 x1 add {"a": & 1 x2 sub {}', "0 - - 1}"], [add, ["sub", {}]]],
    ["may have one index twice in a chunk", ['0 x1 add - & 0 - - {"a":1', "0 - - }"], [add]],
    [
      "are two calls if two ids share an index",
      ['0 x1 add {"a":', "0 - - 1}", '0 x2 add {"a":', "0 - - 1}"],
      [add, add],
    ],
    ["are one call if each repeats its id and its name", ['0 x1 add {"a":', "0 x1 add 1}"], [add]],
    ["are two calls if each is whole and has no id", ["- - sub {}", '- - add {"a":1}'], [["sub", {}], add]],
    ["are one call if Mistral's client writes null for an id", ['0 x1 add {"a":', "0 null - 1}"], [add]],
    ["may cut a name", ["0 x1 ad", '0 - d {"a":1}'], [add]],
    ["may have no arguments", ["0 x1 add -"], [["add", {}]]],
    ["may be encoded twice", [`0 x1 add ${JSON.stringify('{"a":1}')}`], [add]],
    ["may be in a fence", ['0 x1 add ```json\n{"a":', "0 - - 1}\n```"], [add]],
    ["are not completed inside a text", ['0 x1 add {"to":"Ann Sm'], [["add", '{"to":"Ann Sm']]],
    ["are not completed inside a number", ['0 x1 add {"amount":1'], [["add", '{"amount":1']]],
    ["are no list", ["0 x1 add [1]"], [["add", "[1]"]]],
  ])("%s", (_, chunks, calls) => {
    expect(callsOf(...chunks)).toEqual(calls);
  });

  it.each([
    ["an object as arguments", { args: { a: 1 } }, { a: 1 }],
    ["the input of a custom tool", { args: "1 + 2", isCustomTool: true }, { input: "1 + 2" }],
  ])("may have %s", (_, fields, args) => {
    const tool_call_chunks: ToolCallChunk[] = [Object.assign({ index: 0, id: "x1", name: "add" }, Object(fields))];
    expect(readStream([new AIMessageChunk({ content: "", tool_call_chunks })])).toMatchObject({
      toolCalls: [{ args }],
    });
  });

  it("are read as they were written, in OpenAI's older form too, or else as the package read them", () => {
    const written = { name: "add", arguments: '{"a":9007199254740993}' };
    const pieces = [{ name: "add", arguments: '{"a":900719925' }, { arguments: "4740993}" }].map(
      (function_call) =>
        new AIMessageChunk({ content: "", additional_kwargs: { function_call: Object(function_call) } }),
    );
    const wholes = [
      { function_call: written },
      { tool_calls: [{ id: "x1", type: "function" as const, function: written }] },
    ];
    const messages = wholes.map((additional_kwargs) => [new AIMessage({ content: "", additional_kwargs })]);
    for (const chunks of [pieces, ...messages])
      expect(readStream(chunks)).toMatchObject({ toolCalls: [{ name: "add", args: { a: "9007199254740993" } }] });
    const parsed = new AIMessage({ content: "", tool_calls: [{ name: "add", args: { a: [2 ** 53, 1e30] } }] });
    expect(readStream([parsed])).toMatchObject({ toolCalls: [{ args: { a: ["9007199254740992", 1e30] } }] });
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
