import { z } from "zod";

/** What a provider's server refuses in tools and calls. A pattern is what it takes; its words are those of its errors. */
interface Rules {
  readonly names: RegExp;
  readonly ids: RegExp;
  /** True if no call of a conversation may have the id of another one. Else only those of one message differ. */
  readonly uniqueIds?: boolean;
  /** Says what is wrong with a schema. `isTop` is true for that of the tool itself. */
  schema(schema: Schema, isTop: boolean): string | false | undefined;
}

export type Schema = Readonly<Record<string, unknown>>;

const choices = ["anyOf", "oneOf", "allOf", "enum", "not"];
const lacks = (schema: Schema, key: string) => schema[key] === undefined;
const isList = ({ type }: Schema) => [type].flat().includes("array");

function openaiSchema(schema: Schema, isTop: boolean): string | false {
  if (isTop && schema.type !== "object") return `schema must be a JSON Schema of 'type: "object"', got 'type: "None"'.`;
  if (isTop && choices.some((key) => !lacks(schema, key)))
    return "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.";
  if (isTop && lacks(schema, "properties")) return "object schema missing properties.";
  if (Array.isArray(schema.items)) return "[] is not of type 'object', 'boolean'.";
  return isList(schema) && lacks(schema, "items") && "array schema missing items.";
}

function anthropicSchema(schema: Schema, isTop: boolean): string | false {
  if (Array.isArray(schema.items)) return "JSON schema is invalid. It must match JSON Schema draft 2020-12";
  if (!isTop) return false;
  if (lacks(schema, "type")) return "input_schema.type: Field required";
  if (choices.slice(0, 3).some((key) => !lacks(schema, key)))
    return "input_schema does not support oneOf, allOf, or anyOf at the top level";
  const isKey = (key: string) => /^[a-zA-Z0-9_.-]{1,64}$/.test(key);
  return !Object.keys(Object(schema.properties)).every(isKey) && "properties: Property keys should match pattern";
}

const geminiFields =
  /^(?:type|format|title|description|nullable|enum|(?:max|min)(?:Items|Length|Properties)|properties|required|propertyOrdering|items|pattern|(?:max|min)imum|anyOf|default|example)$/;

function geminiSchema(schema: Schema, isTop: boolean): string | false {
  const unknown = Object.keys(schema).find((key) => !geminiFields.test(key));
  const { type, enum: values, format, properties, items, required } = schema;
  if (unknown) return `Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`;
  if (isTop && type !== "object") return "parameters schema should be of type OBJECT.";
  if (Array.isArray(type)) return "Proto field is not repeating, cannot start list.";
  if (lacks(schema, "type") && lacks(schema, "anyOf")) return "type: must be specified when not using one_of, any_of";
  if (type === "array" && typeof items !== "object") return "items: missing field.";
  if (type !== "object" && properties !== undefined) return "properties: only allowed for OBJECT type";
  if (values !== undefined && type !== "string") return "enum: only allowed for STRING type";
  if (Object.values(Object(values)).includes("")) return "enum[0]: cannot be empty";
  if (type === "string" && format !== undefined && !["enum", "date-time"].includes(String(format)))
    return "only 'enum' and 'date-time' are supported for STRING type";
  return (
    z
      .array(z.string())
      .default([])
      .parse(required)
      .some((key) => !(key in Object(properties))) && "required[0]: property is not defined"
  );
}

/** The rules of providers, by the names of their packages. */
export const rules = {
  openai: { names: /^[a-zA-Z0-9_-]{1,64}$/, ids: /^.{1,40}$/s, schema: openaiSchema },
  groq: {
    names: /^[a-zA-Z0-9_-]{1,64}$/,
    ids: /./,
    schema: (schema, isTop) =>
      (!lacks(schema, "required") && lacks(schema, "properties") && "'required' present but 'properties' is missing") ||
      openaiSchema(schema, isTop),
  },
  anthropic: { names: /^[a-zA-Z0-9_-]{1,128}$/, ids: /^[a-zA-Z0-9_-]+$/, uniqueIds: true, schema: anthropicSchema },
  gemini: { names: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/, ids: /^/, schema: geminiSchema },
  mistral: { names: /^[a-zA-Z0-9_-]{1,64}$/, ids: /^[a-zA-Z0-9]{9}$/, schema: () => undefined },
  ollama: { names: /./, ids: /^/, schema: () => undefined },
} as const satisfies Record<string, Rules>;

const named = new Set(["properties", "$defs", "definitions", "patternProperties"]);
const data = new Set(["enum", "const", "default", "example", "examples", "required"]);

/** Yields a schema and all that are in it. */
function* schemasIn(schema: unknown): Generator<Schema> {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return;
  yield { ...schema };
  for (const [key, value] of Object.entries(schema)) {
    const inner = data.has(key) ? [] : named.has(key) || Array.isArray(value) ? Object.values(Object(value)) : [value];
    for (const one of inner) yield* schemasIn(one);
  }
}

/** Says what a server refuses in its tools. */
export function refusedTool(
  provider: Rules,
  tools: readonly { readonly name: string; readonly parameters?: Schema | undefined }[],
): string | undefined {
  for (const [n, { name, parameters }] of tools.entries()) {
    if (!provider.names.test(name))
      return `Invalid 'tools[${n}].function.name': string does not match '${provider.names}'.`;
    for (const [at, schema] of [...schemasIn(parameters)].entries()) {
      const why = provider.schema(schema, at === 0);
      if (why) return `Invalid schema for function '${name}': ${why}`;
    }
  }
  const names = tools.map(({ name }) => name);
  return new Set(names).size < names.length ? "Tool names must be unique." : undefined;
}

/** Says what a server refuses in the calls of a message. `before` are the ids of the calls before it. */
export function refusedCalls(
  { ids, names, uniqueIds }: Rules,
  calls: readonly { readonly id: string; readonly name: string }[],
  before: readonly string[],
): string | undefined {
  const own = calls.map(({ id }) => id);
  const id = own.find((one, n) => !ids.test(one) || own.indexOf(one) !== n || (uniqueIds && before.includes(one)));
  if (id !== undefined) return `Invalid tool call id: '${id}'.`;
  const call = calls.find(({ name }) => !names.test(name));
  return call && `Invalid tool call name: '${call.name}'.`;
}
