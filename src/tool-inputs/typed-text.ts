import { isRecord } from "../base/is-record.js";
import { literal } from "../base/literal.js";
import { listParameters, type Parameter, typesOf } from "./parameters.js";

/** Returns the argument that one text is for: the only one, or the only one that is required. */
export function onlyParameter(schema: unknown): Parameter | undefined {
  const all = listParameters(schema);
  const required = all.filter((parameter) => parameter.required);
  const [only, ...others] = required.length > 0 ? required : all;
  return others.length === 0 ? only : undefined;
}

/**
 * Returns the value of a text by the schema of its argument. A text that the schema takes stays as it is.
 *
 * @param asJson Tells whether a text without a schema is JSON. Default: it is a text.
 */
export function typedText(text: string, schema: unknown, asJson = false): unknown {
  const types = typesOf(schema);
  const isOpen = types.length === 0 && !(isRecord(schema) && "$ref" in schema);
  if (isOpen ? !asJson : isOnlyText(types)) return text;
  const value = literal(text);
  const isValue = types.includes("string") ? typeof value === "object" : typeof value !== "string";
  const fits = types.length === 0 || (isValue && types.some((type) => isOfType(value, type)));
  return fits && value !== undefined ? value : text;
}

/** Tells whether an argument takes only texts. */
export function isOnlyText(types: readonly string[]): boolean {
  return types.length > 0 && types.every((type) => type === "string");
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isRecord(value);
  if (type === "null") return value === null;
  return typeof value === (type === "boolean" ? type : "number");
}
