import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import * as mini from "zod/mini";
import { z as zod3 } from "zod/v3";
import { createAgent, InvalidOptionError } from "../../../src/index.js";
import { OutputFormat } from "../../../src/middleware/output/output-format.js";
import type { OutputSchema } from "../../../src/middleware/output/output-schema.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { schemaCases } from "./schemas.js";

const format = (schema: OutputSchema) => new OutputFormat(schema, new Map());
const person = z.object({ name: z.string(), age: z.number() });

/** The other build of zod in its package: all of its classes are others. */
const otherZod: typeof z = createRequire(import.meta.url)("zod").z;

describe("the option output", () => {
  const model = scriptedModel([]);

  it.each<[string, OutputSchema]>([
    ["a date", z.object({ at: z.date() })],
    ["a transform", z.string().transform((text) => text.length)],
    ["a date that is made of a text", z.object({ at: z.coerce.date() })],
  ])("refuses a schema with %s, and says what is possible", (_what, output) => {
    const make = () => createAgent({ model, output });
    expect(make).toThrow(InvalidOptionError);
    expect(make).toThrow(
      /^output: it must be plain JSON, .* cannot be represented in JSON Schema\)\. Use texts, numbers/,
    );
  });

  it.each<[string, unknown]>([
    ["a schema of zod 3", zod3.object({})],
    ["a JSON schema", { type: "object" }],
  ])("refuses %s", (_what, output) => {
    const options: object = { model, output };
    // @ts-expect-error: callers without a compiler
    expect(() => createAgent(options)).toThrow(
      /^output: .* is not possible; give a schema of zod 4, such as z\.object/,
    );
  });

  it("refuses an asynchronous check", () => {
    const output = z.object({ name: z.string().refine(async () => true) });
    expect(() => createAgent({ model, output })).toThrow("output: this schema has an asynchronous check");
  });

  it("is not possible together with constrained decoding", () => {
    const make = () => createAgent({ model, output: person, modelCalls: { constrainedDecoding: "vllm" } });
    expect(make).toThrow("output: it is not possible together with modelCalls.constrainedDecoding");
  });

  it("accepts a schema of another copy of zod, and of zod/mini", () => {
    for (const schema of [
      otherZod.object({ name: otherZod.string(), age: otherZod.number() }),
      mini.object({ name: mini.string(), age: mini.number() }),
    ]) {
      const made = format(schema);
      expect([made.json, made.object]).toEqual([format(person).json, format(person).json]);
      expect(made.read('{"name": "Ann", "age": 3}')).toEqual({ kind: "fits", json: '{"name":"Ann","age":3}' });
      expect(made.read('{"name": "Ann"}')).toMatchObject({ why: expect.stringContaining('"age" is missing') });
    }
    expect(otherZod.string).not.toBe(z.string);
    const list = otherZod.array(otherZod.string());
    expect(format(list).read('{"value": ["a"]}')).toEqual({ kind: "fits", json: '["a"]' });
  });
});

describe("an answer", () => {
  const fits = (json: string) => ({ kind: "fits", json });
  const ann = '{"name":"Ann","age":3}';

  it.each([
    ["in a fence", `\`\`\`json\n${ann}\n\`\`\``],
    ["with words around it", `Sure! ${ann} Anything else?`],
    ["after a citation", `As [1] and {this} say:\n${ann}`],
    ["with a draft before it", `First {"name": "Bob", "age": 2}, but no: ${ann}`],
    ["in Python", "{'name': 'Ann', 'age': 3,}"],
    ["with a comment", '{"name": "Ann", // her name\n"age": 3}'],
    ["with a number in quotes", '{"name": "Ann", "age": "3"}'],
    ["in an object", `The data: {"output": ${ann}}`],
    ["in a list", `As [1] says: [${ann}]`],
    ["with keys that the schema does not have", '{"name": "Ann", "age": 3, "thought": "easy"}'],
  ])("is read %s", (_how, text) => {
    expect(format(person).read(text)).toEqual(fits(ann));
  });

  it.each<[string, OutputSchema, string, string]>([
    ["a word of an enum", z.enum(["red", "blue"]), " red\n", '"red"'],
    ["a text", z.string(), "Paris is [1] nice.", '"Paris is [1] nice."'],
    ["a number", z.number(), "42", "42"],
    ["a list", z.array(z.number()), "The list: [1, 2]", "[1,2]"],
    ["a list in an object", z.array(z.number()), '{"value": [1, 2]}', "[1,2]"],
    [
      "an object with the key of that",
      z.union([z.object({ value: z.number() }), z.string()]),
      '{"value": 1}',
      '{"value":1}',
    ],
    ["a list in an object of another key", z.array(z.number()), '{"items": [1, "2"]}', "[1,2]"],
    ["an object with the key of a wrapper", z.object({ output: person }), `{"output":${ann}}`, `{"output":${ann}}`],
    ["a list of one object", z.array(person), `[${ann}]`, `[${ann}]`],
    ["an object of any keys", z.record(z.string(), z.unknown()), `{"output":${ann}}`, `{"output":${ann}}`],
    ["a text that is JSON", z.string(), `{"output":${ann}}`, JSON.stringify(`{"output":${ann}}`)],
    ["what need not be there, in an object", person.partial(), `{"output":${ann}}`, ann],
    [
      "a number too long for one",
      z.object({ id: z.string() }),
      '{"id": 9007199254740993}',
      '{"id":"9007199254740993"}',
    ],
    ["nothing", z.object({ a: z.string().optional(), b: z.string().nullish() }), '{"a":null,"b":null}', '{"b":null}'],
    ["null", z.object({ a: z.string() }).nullable(), "null", "null"],
    ["defaults", z.object({ a: z.string().default("x") }), "{}", '{"a":"x"}'],
  ])("can be %s", (_what, schema, text, json) => {
    expect(format(schema).read(text)).toEqual(fits(json));
  });

  it.each<[string, OutputSchema, string, string]>([
    [
      "a wrong type",
      person,
      '{"name": "Ann", "age": "three"}',
      'It does not fit: "age": Invalid input: expected number, received string. Its form must be: {"name": string, "age": number}.',
    ],
    ["words", person, "Ann is three.", "It is no JSON. Its form must be:"],
    ["JSON that breaks off", person, '{"name": "Ann", "age', "Its JSON breaks off, or cannot be read."],
    ["two objects", person, `[${ann}, ${ann}]`, "It does not fit"],
    ["a citation", z.number(), "Forty-two, says [1].", "It does not fit"],
    ["null in the place of what must be there", person, '{"name": null, "age": 3}', '"name": Invalid input'],
    [
      "a number whose digits would be lost",
      person,
      '{"name": "Ann", "age": 9007199254740993}',
      '"age": 9007199254740993 would lose digits as a number; give one of at most 15 digits',
    ],
    ["half a list", z.array(z.number()), "[1, 2", "Its JSON breaks off, or cannot be read."],
    [
      "a branch of a union that is not right",
      z.union([
        z.object({ kind: z.literal("a"), x: z.number(), y: z.number() }),
        z.object({ kind: z.literal("b"), z: z.number() }),
      ]),
      '{"kind": "b", "z": "one"}',
      'It does not fit: "z": Invalid input: expected number, received string.',
    ],
    [
      "none of the types of a union",
      z.union([z.number(), z.boolean()]),
      '"x"',
      "It does not fit: Invalid input. Its form must be: number | boolean.",
    ],
    [
      "a value outside of its limits",
      z.object({ rating: z.int().max(5) }),
      '{"rating": 7}',
      '"rating": Too big: expected number to be <=5',
    ],
    ["the example of the prompt", person, '{"name": "…", "age": 1}', "It copies the example, with nothing filled in."],
  ])("that is %s has a correction that says what is wrong", (_what, schema, text, why) => {
    expect(format(schema).read(text)).toMatchObject({ kind: "misfit", why: expect.stringContaining(why) });
  });

  it("may equal the example if the example has no placeholder", () => {
    const mood = z.object({ mood: z.enum(["good", "bad"]) });
    expect(format(mood).example).toBe('{"mood":"good"}');
    expect(format(mood).read('{"mood":"good"}')).toEqual(fits('{"mood":"good"}'));
  });

  it("has an example that fits in most forms, and none where it is not easily made", () => {
    for (const { schema } of schemaCases.filter(({ kind }) => kind !== "a union")) {
      expect(schema.safeParse(JSON.parse(format(schema).example ?? "")).success).toBe(true);
    }
    expect(format(z.object({ id: z.uuid() })).example).toBeUndefined();
  });
});

it("the tool for an output has a name that no other tool has", () => {
  const names = new Map([
    ["final_answer", 1],
    ["final_answer_", 2],
  ]);
  expect(new OutputFormat(person, names).toolName).toBe("final_answer__");
});
