import { DynamicTool, tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { InvalidOptionError } from "../../src/base/errors.js";
import { toolSpec } from "../../src/tool-inputs/tool-spec.js";

const run = async () => "done";

describe("toolSpec", () => {
  it("shows the JSON schema of a zod 4 tool, with what has a default as optional", () => {
    const schema = z.object({ city: z.string().describe("Its name"), days: z.number().default(2) });
    const spec = toolSpec(tool(run, { name: "weather", description: "The weather.", schema }));

    expect(spec).toMatchObject({ name: "weather", description: "The weather." });
    expect(spec.parameters).toMatchObject({
      type: "object",
      properties: { city: { type: "string", description: "Its name" }, days: { type: "number", default: 2 } },
      required: ["city"],
    });
    expect(spec.parameters).not.toHaveProperty("$schema");
  });

  it("shows the input of a schema, not the output of its transform", () => {
    const schema = z.object({ text: z.string().transform((text) => text.length) });
    expect(toolSpec(tool(run, { name: "measure", schema })).parameters).toMatchObject({
      properties: { text: { type: "string" } },
    });
  });

  it("shows the JSON schema of a zod 3 tool", () => {
    const schema = z3.object({ city: z3.string(), days: z3.number().optional() });
    expect(toolSpec(tool(run, { name: "weather", schema })).parameters).toMatchObject({
      properties: { city: { type: "string" }, days: { type: "number" } },
      required: ["city"],
    });
  });

  it("shows a JSON schema as it is", () => {
    const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;
    expect(toolSpec({ name: "weather", description: "", schema }).parameters).toEqual(schema);
  });

  it("leaves the parameters out for a tool of one plain string", () => {
    const echo = new DynamicTool({ name: "echo", description: "Echoes.", func: async (text) => text });
    expect(toolSpec(echo)).toEqual({ name: "echo", description: "Echoes." });
    expect(toolSpec(tool(run, { name: "echo", description: "Echoes.", schema: z.string() }))).not.toHaveProperty(
      "parameters",
    );
  });

  it("shows a structured tool whose only field is an optional input as structured", () => {
    const schema = z.object({ input: z.string().optional() });
    expect(toolSpec(tool(run, { name: "echo", schema })).parameters).toMatchObject({ type: "object" });
  });

  it.each([z.object({ id: z.bigint().describe("Its id") }), z3.object({ id: z3.bigint().describe("Its id") })])(
    "shows a bigint as digits (%#)",
    (schema) => {
      const id = { type: "string", pattern: "^-?[0-9]+$", description: "Its id" };
      expect(toolSpec(tool(run, { name: "pay", schema })).parameters).toMatchObject({ properties: { id } });
    },
  );

  it("names the tool whose schema cannot be shown to a model", () => {
    const dated = tool(run, { name: "diary", schema: z.object({ day: z.date() }) });
    expect(() => toolSpec(dated)).toThrow(InvalidOptionError);
    const literal = tool(run, { name: "one", schema: z.object({ id: z.bigint(), one: z.literal(1n) }) });
    expect(() => toolSpec(literal)).toThrow(InvalidOptionError);
    expect(() => toolSpec(dated)).toThrow('the schema of "diary" cannot be shown to a model: Date cannot be');
  });
});
