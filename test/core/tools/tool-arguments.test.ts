import { DynamicTool, tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ToolInput } from "../../../src/core/state/decision.js";
import { toolArguments } from "../../../src/core/tools/tool-arguments.js";

const run = async () => "done";
const withSchema = (schema: z.ZodObject) => tool(run, { name: "a_tool", description: "A tool.", schema });

const echo = new DynamicTool({ name: "echo", description: "Echoes.", func: async (text) => text });
const search = withSchema(z.object({ query: z.string(), limit: z.number().default(5) }));
const move = withSchema(z.object({ from: z.string(), to: z.string(), fast: z.boolean().optional() }));

describe("toolArguments for a tool of one plain string", () => {
  it.each<[string, ToolInput, string]>([
    ["a text", "25^(1/2)", "25^(1/2)"],
    ["JSON text, which is the tool's to read", '{"a": 1}', '{"a": 1}'],
    ["the input of an object", { input: "hello" }, "hello"],
    ["the only value of an object", { query: "hello" }, "hello"],
    ["a value that is no text, as JSON", { input: 5 }, "5"],
    ["an object of several values, as JSON", { a: 1, b: 2 }, '{"a":1,"b":2}'],
    ["an empty object", {}, ""],
  ])("passes on %s", (_, toolInput, args) => {
    expect(toolArguments(echo, toolInput)).toEqual({ kind: "arguments", args });
  });
});

describe("toolArguments for a tool with a schema", () => {
  it("passes an object on as it is, right or wrong", () => {
    expect(toolArguments(move, { from: 1 })).toEqual({ kind: "arguments", args: { from: 1 } });
  });

  it.each([
    ["JSON text", '{"from": "a", "to": "b"}'],
    ["a JSON block in a fence", '```json\n{"from": "a", "to": "b"}\n```'],
    ["single quotes and a trailing comma", "{'from': 'a', 'to': 'b',}"],
    ["keys without quotes", '  {from: "a", to: "b"}  '],
  ])("reads %s", (_, text) => {
    expect(toolArguments(move, text)).toEqual({ kind: "arguments", args: { from: "a", to: "b" } });
  });

  it("keeps raw control characters in JSON", () => {
    const args = { from: "a\u001b[0m", to: "b\u009b" };
    expect(toolArguments(move, '{"from": "a\u001b[0m", "to": "b\u009b"}')).toEqual({ kind: "arguments", args });
  });

  it("reads the truth values of Python", () => {
    const args = { from: "a", to: "b", fast: true };
    expect(toolArguments(move, '{"from": "a", "to": "b", "fast": True}')).toEqual({ kind: "arguments", args });
  });

  it("fills the only required field with a text", () => {
    const args = { query: "high temperature in San Francisco" };
    expect(toolArguments(search, "high temperature in San Francisco")).toEqual({ kind: "arguments", args });
  });

  it("fills the only field, required or not", () => {
    const args = { topic: "rain" };
    expect(toolArguments(withSchema(z.object({ topic: z.string().optional() })), "rain")).toEqual({
      kind: "arguments",
      args,
    });
  });

  it.each<[string, z.ZodType, string, unknown]>([
    ["a number", z.number(), " -2.5 ", -2.5],
    ["an integer", z.int(), "12", 12],
    ["a truth value", z.boolean(), "True", true],
    ["a list", z.array(z.string()), "['a', 'b',]", ["a", "b"]],
    ["an object", z.object({ b: z.number() }), "{'b': 1}", { b: 1 }],
    ["nothing", z.number().nullable(), "None", null],
    ["a text of digits where a text is wanted", z.string(), "12", "12"],
    ["a text where a text or a number may be", z.union([z.string(), z.number()]), "12", "12"],
  ])("reads %s out of a text for the only field", (_, field, text, value) => {
    expect(toolArguments(withSchema(z.object({ value: field })), text)).toEqual({ kind: "arguments", args: { value } });
  });

  it.each<[string, z.ZodType]>([
    ["a number", z.number()],
    ["a truth value", z.boolean()],
    ["a list", z.array(z.string())],
  ])("passes on a text that is no %s, for the schema's complaint", (_, field) => {
    expect(toolArguments(withSchema(z.object({ value: field })), "soon")).toEqual({
      kind: "arguments",
      args: { value: "soon" },
    });
  });

  it("keeps a text with braces that is not an object for this tool", () => {
    const code = withSchema(z.object({ source: z.string() }));
    for (const source of ["{ return 1 }", "{1+2}*3", "{a: 1}"]) {
      expect(toolArguments(code, source)).toEqual({ kind: "arguments", args: { source } });
    }
  });

  it("passes on an object with a misspelt field, for the schema's complaint", () => {
    expect(toolArguments(search, '{"q": "rain"}')).toEqual({ kind: "arguments", args: { q: "rain" } });
  });

  it("reads an empty text as no arguments where none are required", () => {
    expect(toolArguments(withSchema(z.object({})), " ")).toEqual({ kind: "arguments", args: {} });
    expect(toolArguments(withSchema(z.object({ a: z.string().optional(), b: z.string().optional() })), "")).toEqual({
      kind: "arguments",
      args: {},
    });
  });

  it("refuses a text where several fields are required, and shows the form", () => {
    expect(toolArguments(move, "from a to b")).toEqual({
      kind: "refused",
      reason:
        'The input must be a JSON object of the form {"from": string, "to": string, "fast"?: boolean}; it was "from a to b".',
    });
  });

  it("refuses an object that was cut off instead of searching for its text", () => {
    expect(toolArguments(search, '{"query": "rain in')).toMatchObject({ kind: "refused" });
    expect(toolArguments(move, '{"from": "a", "to": ')).toMatchObject({ kind: "refused" });
  });

  it("refuses an empty text where a field is required", () => {
    expect(toolArguments(search, "")).toMatchObject({ kind: "refused", reason: expect.stringContaining("was empty") });
  });

  it("quotes only the beginning of a long text", () => {
    const refused = toolArguments(move, "x".repeat(100_000));
    expect(refused).toMatchObject({ kind: "refused" });
    expect(JSON.stringify(refused).length).toBeLessThan(400);
  });

  it("leaves the prototype of objects alone", () => {
    const read = toolArguments(move, '{"__proto__": {"polluted": true}}');
    expect(read.kind).toBe("arguments");
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("works with zod 3 and JSON schemas", () => {
    const schema = { type: "object", properties: { query: { type: "string" } }, required: ["query"] } as const;
    const described = { name: "search", description: "", schema };
    expect(toolArguments(described, "rain")).toEqual({ kind: "arguments", args: { query: "rain" } });
  });
});
