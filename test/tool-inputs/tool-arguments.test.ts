import { DynamicTool, tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { toolArguments } from "../../src/tool-inputs/tool-arguments.js";
import type { ToolInput } from "../../src/tool-inputs/tool-input.js";

const run = async () => "done";
const withSchema = (schema: z.ZodObject) => tool(run, { name: "a_tool", description: "A tool.", schema });

const echo = new DynamicTool({ name: "echo", description: "Echoes.", func: async (text) => text });
const search = withSchema(z.object({ query: z.string(), limit: z.number().default(5) }));
const move = withSchema(z.object({ from: z.string(), to: z.string(), fast: z.boolean().optional() }));

const fieldOf = (value: z.ZodType) => withSchema(z.object({ value }));
const code = withSchema(z.object({ source: z.string() }));
const searchOfJson = {
  ...{ name: "search", description: "" },
  schema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] } as const,
};

it.each<[string, Parameters<typeof toolArguments>[0], ToolInput, unknown]>([
  ["a text for a tool of one plain string", echo, "25^(1/2)", "25^(1/2)"],
  ["JSON text for such a tool, which is the tool's to read", echo, '{"a": 1}', '{"a": 1}'],
  ["the input of an object for it", echo, { input: "hello" }, "hello"],
  ["the only value of an object for it", echo, { query: "hello" }, "hello"],
  ["a value that is no text for it, as JSON", echo, { input: 5 }, "5"],
  ["an object of several values for it, as JSON", echo, { a: 1, b: 2 }, '{"a":1,"b":2}'],
  ["an empty object for it", echo, {}, ""],
  ["an object as it is, right or wrong", move, { from: 1 }, { from: 1 }],
  ["a JSON block in a fence", move, '```json\n{"from": "a", "to": "b"}\n```', { from: "a", to: "b" }],
  ["single quotes and a trailing comma", move, "{'from': 'a', 'to': 'b',}", { from: "a", to: "b" }],
  ["keys without quotes", move, '  {from: "a", to: "b"}  ', { from: "a", to: "b" }],
  ["raw control characters in JSON", search, '{"query": "a\u001b[0m\u009b"}', { query: "a\u001b[0m\u009b" }],
  ["the truth values of Python", move, '{"from": "a", "fast": True}', { from: "a", fast: true }],
  ["a text for the only required field", search, "rain in May", { query: "rain in May" }],
  ["a text for the only field, though optional", fieldOf(z.string().optional()), "rain", { value: "rain" }],
  ["a text for a JSON schema", searchOfJson, "rain", { query: "rain" }],
  ["a number for the only field", fieldOf(z.number()), " -2.5 ", { value: -2.5 }],
  ["an integer for it", fieldOf(z.int()), "12", { value: 12 }],
  ["a truth value for it", fieldOf(z.boolean()), "True", { value: true }],
  ["a list for it", fieldOf(z.array(z.string())), "['a', 'b',]", { value: ["a", "b"] }],
  ["an object for it", fieldOf(z.object({ b: z.number() })), "{'b': 1}", { value: { b: 1 } }],
  ["nothing for it", fieldOf(z.number().nullable()), "None", { value: null }],
  ["digits where a text is wanted", fieldOf(z.string()), "12", { value: "12" }],
  ["digits where a text or a number may be", fieldOf(z.union([z.string(), z.number()])), "12", { value: "12" }],
  ["a text that is no number, for the schema's complaint", fieldOf(z.number()), "soon", { value: "soon" }],
  ["a text that is no list, for the schema's complaint", fieldOf(z.array(z.string())), "soon", { value: "soon" }],
  ["a text with braces that is no object", code, "{1+2}*3", { source: "{1+2}*3" }],
  ["an object that is not for this tool", code, "{a: 1}", { source: "{a: 1}" }],
  ["a misspelt field, for the schema's complaint", search, '{"q": "rain"}', { q: "rain" }],
  ["an empty text where there is no field", withSchema(z.object({})), " ", {}],
  ["an empty text where none is required", withSchema(z.object({ a: z.any(), b: z.any() }).partial()), "", {}],
])("toolArguments passes on %s", (_, given, toolInput, args) => {
  expect(toolArguments(given, toolInput)).toEqual({ kind: "arguments", args });
});

describe("toolArguments refuses", () => {
  it("a text where several fields are required, and shows the form", () => {
    expect(toolArguments(move, "from a to b")).toEqual({
      kind: "refused",
      reason:
        'The input must be a JSON object of the form {"from": string, "to": string, "fast"?: boolean}; it was "from a to b".',
    });
  });

  it("an object that was cut off instead of searching for its text", () => {
    expect(toolArguments(search, '{"query": "rain in')).toMatchObject({ kind: "refused" });
    expect(toolArguments(move, '{"from": "a", "to": ')).toMatchObject({ kind: "refused" });
  });

  it("an empty text where a field is required", () => {
    expect(toolArguments(search, "")).toMatchObject({ kind: "refused", reason: expect.stringContaining("was empty") });
  });

  it("a long text, and quotes only its beginning", () => {
    const refused = toolArguments(move, "x".repeat(100_000));
    expect(refused).toMatchObject({ kind: "refused" });
    expect(JSON.stringify(refused).length).toBeLessThan(400);
  });
});

it("toolArguments leaves the prototype of objects alone", () => {
  expect(toolArguments(move, '{"__proto__": {"polluted": true}}').kind).toBe("arguments");
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});
