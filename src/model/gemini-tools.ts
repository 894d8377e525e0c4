import type { ServerTool } from "@langchain/core/tools";
import { isRecord } from "../base/is-record.js";
import type { ToolSpec } from "../tool-inputs/tool-spec.js";
import { openApiFields, openApiFormats } from "./tables/open-api.js";

/**
 * Returns tools as Gemini's API takes them with JSON schemas. Gemini's package sends schemas in the field for OpenAPI 3.0, where the
 * server refuses all other keywords.
 *
 * @returns Undefined if the field of the package is enough.
 */
export function geminiTools(tools: readonly ToolSpec[]): ServerTool[] | undefined {
  if (tools.every(({ parameters }) => parameters === undefined || isOpenApi(parameters))) return undefined;
  const functionDeclarations = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: parameters,
  }));
  return [{ functionDeclarations }];
}

/** Tells whether a schema has only what Gemini takes of OpenAPI 3.0. */
function isOpenApi(schema: unknown): boolean {
  if (!isRecord(schema)) return false;
  const { type, anyOf, items, enum: values, format, properties = {}, required = [] } = schema;
  if (!isRecord(properties) || !Array.isArray(required)) return false;
  const parts = [...Object.values(properties), ...(Array.isArray(anyOf) ? anyOf : []), ...(items ? [items] : [])];
  return (
    Object.keys(schema).every((key) => openApiFields.has(key)) &&
    (typeof type === "string" || Array.isArray(anyOf)) &&
    (type === "array") === (items !== undefined) &&
    (type === "object" || schema.properties === undefined) &&
    (values === undefined || (type === "string" && Array.isArray(values) && values.every(isWord))) &&
    (format === undefined || openApiFormats[String(type)]?.includes(String(format)) === true) &&
    required.every((name) => name in properties) &&
    parts.every(isOpenApi)
  );
}

const isWord = (value: unknown) => typeof value === "string" && value !== "";
