import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ParsedReply } from "../../../src/core/state/decision.js";
import { protocols } from "../../../src/protocols/by-name.js";
import { toolArguments } from "../../../src/tool-inputs/tool-arguments.js";
import { toolSpec } from "../../../src/tool-inputs/tool-spec.js";

const tool = { name: "read", description: "", schema: z.object({ path: z.string() }) };
const specs = [toolSpec(tool)];
const { react, "structured-chat": chat, "tool-calling": native } = protocols;
const reply = { text: "", toolCalls: [] };

/** Ways to write a call, with the JSON of its arguments in them. */
const ways: Readonly<Record<string, (args: string) => ParsedReply>> = {
  "JSON in words": (args) => native.parse(`{"name": "read", "arguments": ${args}}`, specs),
  "arguments in a string": (args) => native.parse(`{"name": "read", "arguments": ${JSON.stringify(args)}}`, specs),
  "a form": (args) => native.parse(`<tool_call>{"name": "read", "arguments": ${args}}</tool_call>`, specs),
  "a native call with a slip": (args) =>
    native.parse({ ...reply, invalidToolCalls: [{ name: "read", args: args.replace("}", ",}") }] }, specs),
  "an action in JSON": (args) => chat.parse(`Action:\n{"action": "read", "action_input": ${args}}`, specs),
  "the input of an action": (args) => react.parse(`Action: read\nAction Input: ${args}`, specs),
};

/** Returns the arguments of a call, or why it is not made. */
function read(parsed: ParsedReply) {
  if (parsed.kind !== "action") return parsed;
  return toolArguments(tool, parsed.actions[0]?.toolInput ?? "");
}

describe.each(Object.entries(ways))("a backslash in %s", (_, parse) => {
  it.each([
    ...[String.raw`C:\bin\file`, String.raw`C:\new\table`, String.raw`C:\Users\name`, String.raw`type c:\temp\x`],
    ...[String.raw`C:\\Users\admin`, String.raw`tests\test_x.py`, String.raw`\\d+\s`, String.raw`\bword\b`],
    ...[String.raw`\frac{1}{2} + \alpha`, String.raw`\d \u00e9`],
  ])("is asked about if it may be meant as itself, or not: %s", (written) => {
    expect(JSON.stringify(read(parse(`{"path": "${written}"}`)))).toMatch(/"(?:unparseable|refused)".*has a backslash/);
  });

  it.each([
    [String.raw`line one\nline two`, "line one\nline two"],
    [String.raw`Plan A:\n- a\tb\n`, "Plan A:\n- a\tb\n"],
    [String.raw`with f:\n    print(\"\d\")`, String.raw`with f:${"\n"}    print("\d")`],
    [String.raw`C:\\Users\\name`, String.raw`C:\Users\name`],
    [String.raw`C:\U0041\admin`, String.raw`C:\U0041\admin`],
    [String.raw`src\utils\a.py`, String.raw`src\utils\a.py`],
    [String.raw`\\d+`, String.raw`\d+`],
    [String.raw`\d+`, String.raw`\d+`],
    [String.raw`\$5, it\'s 3\.5, a\_b\nor caf\u00e9`, "\\$5, it's 3\\.5, a_b\nor café"],
  ])("is read if it has one meaning: %s", (written, path) => {
    expect(read(parse(`{"path": "${written}"}`))).toEqual({ kind: "arguments", args: { path } });
  });
});

it.each([
  ["a tag", "<function=read><parameter=path>C:\\new\\x</parameter></function>", { path: "C:\\new\\x" }],
  [
    "a program in a tag",
    '<tool_call>read\n<arg_key>path</arg_key><arg_value>open("C:\\bin")</arg_value>',
    { path: 'open("C:\\bin")' },
  ],
  ["an attribute", '<invoke name="read"><parameter name="path">C:\\bin</parameter></invoke>', { path: "C:\\bin" }],
  ["a program in JSON, without escapes", String.raw`{"action": "read", "action_input": "open("C:\new")"}`, undefined],
])("a backslash in %s is itself, or the call is not made", (_, text, input) => {
  const parsed = native.parse(text, specs);
  expect(parsed.kind === "action" ? parsed.actions[0]?.toolInput : undefined).toEqual(input);
});
