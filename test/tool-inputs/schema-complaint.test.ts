import { DynamicTool, tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { describeSchemaComplaint, readInput } from "../../src/tool-inputs/schema-complaint.js";

const run = async () => "done";
const fail = (): string => {
  throw new Error("The bank is closed.");
};
const jsonSchema = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer", minimum: 1 } },
  required: ["city", "days"],
} as const;
const forms = [
  { of: "zod 4", schema: z.object({ city: z.string(), days: z.int().min(1) }) },
  { of: "zod 3", schema: z3.object({ city: z3.string(), days: z3.number().int().min(1) }) },
  { of: "a JSON schema", schema: jsonSchema },
].map(({ of, schema }) => ({ of, weather: { name: "weather", description: "", schema } }));

describe.each(forms)("describeSchemaComplaint with $of", ({ weather }) => {
  it("names the missing field and the form the tool takes", async () => {
    const complaint = await describeSchemaComplaint(weather, { days: 2 });
    expect(complaint).toMatch(/"city"( is missing|\.)/);
    expect(complaint).toMatch(/The tool takes \{"city": string, "days": integer\}\.$/);
  });

  it("says what is wrong with a field and what is expected", async () => {
    const complaint = await describeSchemaComplaint(weather, { city: "Paris", days: "two" });
    expect(complaint).toMatch(/"days": .*string.*(number|integer|int)/);
    expect(complaint).not.toContain('"city":  ');
    expect(await describeSchemaComplaint(weather, { city: "Paris", days: 0 })).toMatch(/"days": .*1/);
  });

  it("says that a text is not an object", async () => {
    expect(await describeSchemaComplaint(weather, "Paris")).toMatch(/expected "?object.*string|string.*object/i);
  });

  it("has no complaint about a valid input", async () => {
    expect(await describeSchemaComplaint(weather, { city: "Paris", days: 2 })).toBeUndefined();
  });
});

describe("describeSchemaComplaint", () => {
  it("keeps a schema's own words", async () => {
    const span = z.object({ start: z.number(), end: z.number().optional() });
    const schema = span.refine(({ end }) => end !== undefined, { path: ["end"], message: "Give an end." });
    expect(await describeSchemaComplaint(tool(run, { name: "span", schema }), { start: 1 })).toBe(
      '"end": Give an end. The tool takes {"start": number, "end"?: number}.',
    );
  });

  it("waits for asynchronous checks", async () => {
    const schema = z.object({ user: z.string().refine(async () => false, "No such user") });
    expect(await describeSchemaComplaint(tool(run, { name: "mail", schema }), { user: "x" })).toContain(
      '"user": No such user',
    );
  });

  it("names a field within a list", async () => {
    const schema = z.object({ points: z.array(z.object({ x: z.number() })) });
    expect(await describeSchemaComplaint(tool(run, { name: "draw", schema }), { points: [{ x: "a" }] })).toMatch(
      /"points\.0\.x": .*number.*\. The tool takes \{"points": (\(\{"x": number\}\)|\{"x": number\})\[\]\}\.$/,
    );
  });

  it("stays short with many errors", async () => {
    const schema = z.object({ values: z.array(z.number()) });
    const values = Array(500).fill("");
    const complaint = await describeSchemaComplaint(tool(run, { name: "sum", schema }), { values });
    expect(complaint).toContain("495 more like these");
    expect(complaint?.length).toBeLessThan(600);
  });

  it("has no complaint about a text for a string tool", async () => {
    const echo = new DynamicTool({ name: "echo", description: "", func: async (text) => text });
    expect(await describeSchemaComplaint(echo, "hi")).toBeUndefined();
    expect(await describeSchemaComplaint(echo, { input: "hi" })).toBeUndefined();
  });
});

const read = async (...call: Parameters<typeof readInput>) => {
  const found = await readInput(...call);
  return "args" in found ? found.args : undefined;
};

describe.each(forms)("readInput with $of", ({ weather }) => {
  it("reads a number in quotes where the schema wants a number", async () => {
    expect(await read(weather, { city: "12", days: "2" })).toEqual({ city: "12", days: 2 });
  });

  it("does not change an input with another error", async () => {
    const args = { city: "Paris", days: "two" };
    expect(await read(weather, args)).toBeUndefined();
    expect(await read(weather, { days: "2" })).toBeUndefined();
    expect(await read(weather, { city: "Paris", days: "0" })).toBeUndefined();
    expect(args).toEqual({ city: "Paris", days: "two" });
  });

  it("does not read a number that would be rounded", async () => {
    const properties = { id: { type: "number" }, "50% ~größe/#": { type: "number" } } as const;
    const wide = { ...weather, schema: { type: "object", properties } } as const;
    expect(await read(wide, { "50% ~größe/#": "7" })).toEqual({ "50% ~größe/#": 7 });
    for (const id of ["12345678901234567890", "-9007199254740993", "1e400"])
      expect(await read(wide, { id })).toBeUndefined();
  });
});

describe("readInput", () => {
  const booking = {
    name: "book",
    description: "",
    schema: z.object({
      open: z.boolean(),
      note: z.string().nullable(),
      guests: z.array(z.object({ age: z.number() })),
      at: z.object({ hour: z.number() }),
    }),
  };

  it("reads booleans, lists and objects, in fields of fields too", async () => {
    const args = { open: " True ", note: "5", guests: '[{"age": 3}]', at: { hour: "19" } };
    expect(await read(booking, args)).toEqual({ open: true, note: "5", guests: [{ age: 3 }], at: { hour: 19 } });
    expect(await read(booking, { ...args, guests: [{ age: "3" }] })).toMatchObject({ guests: [{ age: 3 }] });
  });

  it("returns the parsed input, and leaves the given input unchanged", async () => {
    const schema = z.object({
      tags: z.any().transform((tags) => (tags.push("b") ? tags : [])),
      days: z.number().default(3),
    });
    const args = { tags: ["a"] };
    const found = await readInput({ name: "tag", description: "", schema }, args);
    expect([found, args]).toEqual([{ args: { tags: ["a"] }, value: { tags: ["a", "b"], days: 3 } }, { tags: ["a"] }]);
  });

  it.each([
    ["zod 4", z.object({ to: z.string().transform(fail) })],
    ["zod 3", z3.object({ to: z3.string().transform(fail) })],
  ])("has the error message of a transform of %s", async (_of, schema) => {
    const found = await readInput({ name: "pay", description: "", schema }, { to: "Ann" });
    expect(found).toEqual({ complaint: 'The bank is closed. The tool takes {"to": string}.' });
  });

  const trip = z.object({
    days: z.number().nullable(),
    tag: z.string().optional(),
    limit: z.number().default(10),
    of: z.union([z.object({ a: z.number().optional(), b: z.number() }), z.object({ c: z.string() })]).optional(),
    ids: z.array(z.bigint()).optional(),
  });

  it.each<[what: string, given: Record<string, unknown>, read: Record<string, unknown> | undefined]>([
    ["Python's None where null is allowed", { days: "None" }, { days: null }],
    ["null as a field that is not there", { days: null, tag: null, limit: null, of: null }, { days: null }],
    ["None as a field that is not there", { days: 1, limit: "None" }, { days: 1 }],
    ["null in a branch of a union", { days: 1, of: { a: null, b: 2 } }, { days: 1, of: { b: 2 } }],
    ["no null in the place of a required field", { tag: "x" }, undefined],
    ["no null in a list", { days: 1, ids: [null] }, undefined],
    ["digits as a bigint", { days: 1, ids: ["9007199254740993", -7] }, { days: 1, ids: [9007199254740993n, -7n] }],
    ["no word as a bigint", { days: 1, ids: ["", "x", "1.5", 1.5] }, undefined],
  ])("reads %s", async (_what, given, args) => {
    expect(await read({ name: "trip", description: "", schema: trip }, given)).toEqual(args);
  });
});
