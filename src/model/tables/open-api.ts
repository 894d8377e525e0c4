/** The keywords of OpenAPI 3.0 that Gemini takes in the schema of a tool. Its package leaves the last two out. */
export const openApiFields: ReadonlySet<string> = new Set([
  "type",
  "format",
  "title",
  "description",
  "nullable",
  "enum",
  "properties",
  "required",
  "propertyOrdering",
  "minProperties",
  "maxProperties",
  "items",
  "minItems",
  "maxItems",
  "minLength",
  "maxLength",
  "pattern",
  "minimum",
  "maximum",
  "anyOf",
  "default",
  "example",
  "additionalProperties",
  "$schema",
]);

/** The formats that Gemini takes, by the type of their schema. */
export const openApiFormats: Readonly<Record<string, readonly string[]>> = {
  string: ["enum", "date-time"],
  number: ["float", "double"],
  integer: ["int32", "int64"],
};
