import { z } from "zod";

const propertySchema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
});

const objectSchema = z.object({
  properties: z.record(z.string(), z.unknown()).default({}),
  required: z.array(z.string()).default([]),
});

/** An argument of a tool, as far as a sentence about it needs it. */
export interface Parameter {
  readonly name: string;
  readonly required: boolean;
  /** The JSON types that it may have, such as `number` or `string`; empty if it may have any type. */
  readonly types: readonly string[];
  /** The same types in words for a model: `"red" | "blue"`, `number[]`. */
  readonly shape: string;
  readonly schema: unknown;
}

/** Lists the arguments in a JSON schema; none if it is not the schema of an object. */
export function listParameters(schema: unknown): readonly Parameter[] {
  const read = objectSchema.safeParse(schema);
  if (!read.success) return [];
  const { properties, required } = read.data;
  return Object.entries(properties).map(([name, property]) => ({
    name,
    required: required.includes(name),
    types: typesOf(property),
    shape: describeSchema(property),
    schema: property,
  }));
}

/** Lists all names in a JSON schema: those of its fields and those of its keywords. */
export function namesIn(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([name, value]) => [
    ...(Array.isArray(schema) ? [] : [name]),
    ...namesIn(value),
  ]);
}

/** Writes a JSON schema as a line for a model: `{"city": string, "days"?: integer}`. */
export function describeParameters(schema: unknown): string {
  const fields = listParameters(schema).map(({ name, required, shape }) => `"${name}"${required ? "" : "?"}: ${shape}`);
  return fields.length > 0 ? `{${fields.join(", ")}}` : "{}";
}

/** Returns the JSON types that a schema takes; none if it takes any value. */
export function typesOf(property: unknown): readonly string[] {
  const read = propertySchema.safeParse(property);
  if (!read.success) return [];
  const { type, enum: options, const: constant, anyOf, oneOf } = read.data;
  if (type !== undefined) return [type].flat();
  if (constant !== undefined) return [typeof constant];
  if (options) return [...new Set(options.map((option) => typeof option))];
  return [...new Set((anyOf ?? oneOf ?? []).flatMap(typesOf))];
}

/** Writes a JSON schema in words for a model: `string`, `"red" | "blue"`, `number[]`, `{"city": string}`. */
export function describeSchema(property: unknown): string {
  const read = propertySchema.safeParse(property);
  if (!read.success) return "any value";
  const { type, enum: options, const: constant, items, anyOf, oneOf } = read.data;
  if (constant !== undefined) return JSON.stringify(constant);
  if (options) return options.map((option) => JSON.stringify(option)).join(" | ");
  const branches = anyOf ?? oneOf;
  if (branches) return branches.map(describeSchema).join(" | ");
  if (type === "array") return items === undefined ? "array" : arrayShape(describeSchema(items));
  if (type === "object") return describeParameters(property) === "{}" ? "object" : describeParameters(property);
  return [type ?? "any value"].flat().join(" | ");
}

function arrayShape(item: string): string {
  return item.includes(" ") ? `(${item})[]` : `${item}[]`;
}
