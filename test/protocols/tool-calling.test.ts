import { describe, expect, it } from "vitest";
import type { Reply } from "../../src/core/state/decision.js";
import { protocols } from "../../src/protocols/by-name.js";

const { parse } = protocols["tool-calling"];
const tools = ["search", "book_table"];

function reply(parts: Partial<Reply>): Reply {
  return { text: "", toolCalls: [], invalidToolCalls: [], ...parts };
}

describe("the tool-calling parser", () => {
  it("reads several calls in their order", () => {
    const calls = [
      { id: "a", name: "book_table", args: { people: 2 } },
      { id: "b", name: "search", args: { query: "x" } },
    ];
    expect(parse(reply({ text: "Both at once.", toolCalls: calls }), tools)).toEqual({
      kind: "action",
      actions: [
        { tool: "book_table", toolInput: { people: 2 }, log: "Both at once.", callId: "a" },
        { tool: "search", toolInput: { query: "x" }, log: "Both at once.", callId: "b" },
      ],
      thought: "Both at once.",
    });
  });

  it("corrects the spelling of a tool's name, and keeps an unknown name unchanged", () => {
    const calls = [
      { name: "functions.Search", args: {} },
      { name: "telescope", args: {} },
    ];
    expect(parse(reply({ toolCalls: calls }), tools)).toMatchObject({
      actions: [{ tool: "search" }, { tool: "telescope" }],
    });
  });

  it("treats plain text as the answer", () => {
    expect(parse("It is 42.", tools)).toEqual({ kind: "finish", output: "It is 42." });
    expect(parse(reply({ text: "<think>6 * 7</think>\nIt is 42." }), tools)).toEqual({
      kind: "finish",
      output: "It is 42.",
    });
  });

  it.each([
    '{"name": "Ada", "age": 36}',
    'The blob `{"name": "search", "arguments": {}}` is how a call looks.',
    '{"city": "Lima"}',
    'Mistral writes:\n```\n[TOOL_CALLS]search[ARGS]{"query": "x"}\n```',
    "Kimi writes `<|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>{}<|tool_call_end|>`.",
  ])("does not treat other JSON as a call: %s", (text) => {
    expect(parse(reply({ text }), tools)).toEqual({ kind: "finish", output: text });
  });

  it.each([
    ['{"name": "find", "arguments": {"query": "x"}}', "there is no such tool. The tools are: search"],
    ["[search(query=x)]", "Its arguments of search cannot be read."],
    ["<tool_call>search with care</tool_call>", "Its tool call cannot be read."],
    ['{"name": "search", "arguments": {"query": "x"}} looks it up.', "in the middle of other words"],
  ])("corrects %s", (text, why) => {
    expect(parse(reply({ text }), tools)).toMatchObject({ kind: "unparseable", why: expect.stringContaining(why) });
  });

  it("treats words around a call as the answer, if the model repeats them", () => {
    const text = 'You would write:\n```json\n{"name": "search", "arguments": {"query": "x"}}\n```\nShall I?';
    expect(parse(reply({ text }), tools)).toMatchObject({ kind: "unparseable", ifRepeated: text });
    const fenced = 'Qwen writes:\n```\n<tool_call>\n{"name": "find", "arguments": {}}\n</tool_call>\n```';
    expect(parse(reply({ text: fenced }), tools)).toMatchObject({ kind: "unparseable", ifRepeated: fenced });
  });

  it.each([
    "<b>Here are my reasoning steps:</b> first the sum, then the tax. It is 42.",
    "The tags are license:opensource and <b>team:core</b>.",
  ])("keeps the words of an answer that look like signs of a family: %s", (text) => {
    expect(parse(reply({ text }), tools)).toEqual({ kind: "finish", output: text });
  });

  it("accepts a call with empty arguments if the tool requires none", () => {
    const specs = ["optional", "required"].map((name) => ({
      name,
      description: "",
      parameters: { type: "object", properties: { x: { type: "string" } }, required: name === "required" ? ["x"] : [] },
    }));
    const call = (name: string) => reply({ invalidToolCalls: [{ name, args: "", error: "Malformed args." }] });
    expect(parse(call("optional"), specs)).toMatchObject({ actions: [{ tool: "optional", toolInput: {} }] });
    expect(parse(call("required"), specs)).toMatchObject({ kind: "unparseable" });
    expect(parse(call("unknown"), specs)).toMatchObject({ kind: "unparseable" });
  });

  it("does not treat the words of a failed call as the answer", () => {
    const finishReason = "MALFORMED_FUNCTION_CALL";
    expect(parse(reply({ text: "print(search(", finishReason }), tools)).toMatchObject({ kind: "unparseable" });
    const text = '<function=search{"query": "x"}</function>';
    expect(parse(reply({ text, finishReason }), tools)).toMatchObject({ actions: [{ toolInput: { query: "x" } }] });
  });

  it("does not treat an invalid call as the answer", () => {
    const unknown = '<|channel|>commentary to=functions.find<|message|>{"query": "x"}<|call|>';
    expect(parse(unknown, tools)).toMatchObject({ actions: [{ tool: "find", toolInput: { query: "x" } }] });
    const broken = '<|channel|>commentary to=functions.search<|message|>{"query": "<|call|>';
    expect(parse(broken, tools)).toMatchObject({ kind: "unparseable" });
  });

  it.each([
    "<think>It is 42.",
    "<|channel|>analysis<|message|>It is 42.<|end|>",
    "<|channel|>commentary<|message|>I search.<|end|>",
  ])("does not treat thinking as the answer: %s", (text) => {
    expect(parse(text, tools)).toMatchObject({ kind: "unparseable", why: expect.stringContaining("thinking") });
  });

  it("runs none of several calls when one of them is broken, and names the broken one", () => {
    const parsed = parse(
      reply({
        toolCalls: [{ name: "search", args: { query: "x" } }],
        invalidToolCalls: [{ name: "book_table", args: '{"people": ', error: "Unexpected end" }],
      }),
      tools,
    );
    expect(parsed).toMatchObject({ kind: "unparseable", why: expect.stringContaining("book_table") });
    expect(parsed).toMatchObject({ why: expect.stringContaining('{"people": ') });
  });

  it("cannot parse an empty reply, or a call without a name", () => {
    expect(parse(reply({ finishReason: "stop" }), tools)).toMatchObject({ kind: "unparseable" });
    expect(parse(reply({ toolCalls: [{ name: "", args: {} }] }), tools)).toMatchObject({ kind: "unparseable" });
    expect(parse(reply({ invalidToolCalls: [{}] }), tools)).toMatchObject({ kind: "unparseable" });
  });

  it.each(["length", "content_filter", "max_tokens"])("says that a reply was cut off by %s", (finishReason) => {
    const why = expect.stringMatching(/cut off|content filter/);
    expect(parse(reply({ text: "<think>It may be", finishReason }), tools)).toEqual({ kind: "unparseable", why });
    const begun = '<tool_call>\n{"name": "search", "arguments": {"query": "x';
    expect(parse(reply({ text: begun, finishReason }), tools)).toEqual({ kind: "unparseable", why });
    expect(parse(reply({ finishReason }), tools)).toEqual({ kind: "unparseable", why });
    const invalidToolCalls = [{ name: "search", args: '{"query": "x"}' }];
    expect(parse(reply({ invalidToolCalls, finishReason }), tools)).toEqual({ kind: "unparseable", why });
  });

  it("runs no call of a reply that was cut off, as cut arguments can look like whole ones", () => {
    const toolCalls = [{ name: "search", args: { query: "x" } }];
    expect(parse(reply({ text: "Let me", toolCalls, finishReason: "length" }), tools)).toMatchObject({
      kind: "unparseable",
    });
  });
});
