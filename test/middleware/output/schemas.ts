import { z } from "zod";

/** A kind of schema, with a value that fits it and one that does not, and a slip that models make in such JSON. */
export interface SchemaCase {
  readonly kind: string;
  readonly schema: z.ZodType;
  readonly value: unknown;
  readonly wrong: unknown;
}

export const schemaCases: readonly SchemaCase[] = [
  {
    kind: "nested objects",
    schema: z.object({ title: z.string(), place: z.object({ city: z.string(), at: z.object({ hour: z.int() }) }) }),
    value: { title: "Concert", place: { city: "Leeds", at: { hour: 20 } } },
    wrong: { title: "Concert", place: { city: "Leeds", at: { hour: "eight" } } },
  },
  {
    kind: "a list",
    schema: z.array(z.object({ name: z.string(), age: z.number() })).min(1),
    value: [
      { name: "search", age: 3 },
      { name: "Ben", age: 4.5 },
    ],
    wrong: [{ name: "search" }],
  },
  {
    kind: "an enum",
    schema: z.enum(["positive", "negative"]),
    value: "negative",
    wrong: "maybe",
  },
  {
    kind: "optional fields",
    schema: z.object({ name: z.string(), age: z.number().optional(), tags: z.array(z.string()).default([]) }),
    value: { name: "search", age: 3, tags: [] },
    wrong: { name: 7, age: 3 },
  },
  {
    kind: "a union",
    schema: z.discriminatedUnion("type", [
      z.object({ type: z.literal("circle"), radius: z.number() }),
      z.object({ type: z.literal("box"), name: z.string(), sides: z.array(z.number()).length(2) }),
    ]),
    value: { type: "box", name: "search", sides: [2, 3] },
    wrong: { type: "box", name: "search", sides: [2] },
  },
];
