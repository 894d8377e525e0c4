import { isRecord } from "../../base/is-record.js";
import type { ToolInput } from "../../tool-inputs/tool-input.js";
import type { ToolSpec } from "../../tool-inputs/tool-spec.js";
import { takesPlainText } from "../input-forms.js";

/** Makes an example input of a tool for a prompt. It has only the required fields, if there are any. */
export function exampleInput(tool: ToolSpec): ToolInput {
  return takesPlainText(tool) ? `what to give to ${tool.name}` : exampleObject(tool.parameters ?? {});
}

function exampleObject({ properties, required }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields = Object.entries(isRecord(properties) ? properties : {});
  const needed = fields.filter(([name]) => Array.isArray(required) && required.includes(name));
  return Object.fromEntries(
    (needed.length > 0 ? needed : fields).map(([name, schema]) => [name, exampleValue(schema)]),
  );
}

/**
 * Makes an example value of a JSON schema, with `…` for texts. The value may break limits of the schema, such as a minimum
 * length.
 */
export function exampleValue(schema: unknown): unknown {
  if (!isRecord(schema)) return "…";
  const { anyOf, oneOf = anyOf } = schema;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0];
  if ("const" in schema) return schema.const;
  if ("default" in schema) return schema.default;
  if (Array.isArray(oneOf) && oneOf.length > 0) return exampleValue(oneOf[0]);
  switch (schema.type) {
    case "number":
    case "integer":
      return 1;
    case "boolean":
      return true;
    case "array":
      return [exampleValue(schema.items)];
    case "object":
      return exampleObject(schema);
    default:
      return "…";
  }
}
