import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../base/is-record.js";
import type { ProviderForm } from "./provider-form.js";

type JsonSchema = Readonly<Record<string, unknown>>;
type Refusals = ProviderForm["schemas"];

/** The newest form of each schema. Each step needs it again. */
const known = new WeakMap<JsonSchema, { readonly refuses: Refusals; readonly taken: JsonSchema }>();

/**
 * Returns the schema of a tool in a form that its provider takes. What the form cannot say is left out, as the tool checks its
 * arguments with its own schema. A schema that the provider takes is returned as it is.
 */
export function takenSchema(schema: JsonSchema, refuses: Refusals): JsonSchema {
  const found = known.get(schema);
  if (found?.refuses === refuses) return found.taken;
  const made = withItems(atTop(schema, refuses), refuses);
  const taken = isDeepStrictEqual(made, schema) ? schema : made;
  known.set(schema, { refuses, taken });
  return taken;
}

const choices = ["anyOf", "oneOf", "allOf", "not", "enum", "$ref"];

function atTop(schema: JsonSchema, refuses: Refusals): JsonSchema {
  const isChoice = refuses.includes("choice-at-top") && choices.some((key) => schema[key] !== undefined);
  const one = isChoice ? merged(schema, schema) : schema;
  const typed = one.type === undefined && refuses.includes("no-type") ? { type: "object", ...one } : one;
  return typed.properties === undefined && refuses.includes("no-properties") ? { ...typed, properties: {} } : typed;
}

/** References to a schema in itself are followed so many times. */
const deepest = 8;

/** Returns an object with the fields of all alternatives. It requires what all of them require. */
function merged(schema: JsonSchema, root: JsonSchema, depth = 0): JsonSchema {
  const { $ref, allOf, anyOf, oneOf, not, enum: values, additionalProperties, ...own } = schema;
  const inside = (part: JsonSchema) => (depth < deepest ? merged(part, root, depth + 1) : {});
  const all = [...[schemaAt($ref, root), ...schemasIn(allOf)].map(inside), own];
  const groups = [anyOf, oneOf].map((group) => schemasIn(group).map(inside));
  const fields = new Map<string, unknown>();
  for (const part of [...all, ...groups.flat()])
    for (const [name, field] of Object.entries(asSchema(part.properties)))
      fields.set(name, eitherOf(fields.get(name), field));
  const shared = groups.flatMap(([first, ...others]) =>
    requiredIn(first).filter((name) => others.every((other) => requiredIn(other).includes(name))),
  );
  const required = [...new Set([...all.flatMap(requiredIn), ...shared])];
  const properties = Object.fromEntries(fields);
  return { ...Object.assign({}, ...all), type: "object", properties, ...(required.length > 0 && { required }) };
}

function eitherOf(one: unknown, other: unknown): unknown {
  const known = isRecord(one) && Object.keys(one).join() === "anyOf" ? schemasIn(one.anyOf) : [one];
  if (one === undefined || known.some((schema) => isDeepStrictEqual(schema, other))) return one ?? other;
  return { anyOf: [...known, other] };
}

/** Returns the schema at a place such as `#/$defs/Page`. It is empty if there is none. */
function schemaAt(ref: unknown, root: JsonSchema): JsonSchema {
  if (typeof ref !== "string") return {};
  const [, ...path] = ref.split("/").map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  return asSchema(path.reduce<unknown>((value, key) => asSchema(value)[key], root));
}

const requiredIn = (schema: JsonSchema = {}) => (Array.isArray(schema.required) ? schema.required : []);
const schemasIn = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : []);
const asSchema = (value: unknown): JsonSchema => (isRecord(value) ? value : {});

/** The keywords with schemas by name, and those with data. */
const named = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
const data = new Set(["enum", "const", "default", "example", "examples"]);

/** Returns a schema whose lists have `items`, at all depths. */
function withItems(schema: JsonSchema, refuses: Refusals): JsonSchema {
  const { type, items, prefixItems, properties, required } = schema;
  const lacksItems = [type].flat().includes("array") && items === undefined && refuses.includes("no-items");
  const isTuple = Array.isArray(items) && refuses.includes("item-lists");
  const item = schemasIn(items ?? prefixItems).reduce<unknown>(eitherOf, undefined) ?? {};
  const whole = {
    ...schema,
    ...((lacksItems || isTuple) && { items: item }),
    ...(Array.isArray(required) && !properties && refuses.includes("no-properties") && { properties: {} }),
  };
  const changed = (value: unknown): unknown => (isRecord(value) ? withItems(value, refuses) : value);
  const byName = (fields: object) => Object.entries(fields).map(([name, field]) => [name, changed(field)] as const);
  const entries = Object.entries(whole).map(([key, value]) => {
    if (Array.isArray(value)) return [key, data.has(key) ? value : value.map(changed)];
    if (named.has(key) && isRecord(value)) return [key, Object.fromEntries(byName(value))];
    return [key, data.has(key) ? value : changed(value)];
  });
  return Object.fromEntries(entries);
}
