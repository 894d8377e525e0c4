import { isRecord } from "../../base/is-record.js";
import type { ToolInput } from "../../turn/decision.js";
import { takesPlainText } from "../input-forms.js";
import type { ToolSpec } from "../protocol.js";

/** Makes an example input of a tool for a prompt. It has only the required fields, if there are any. */
export function exampleInput(tool: ToolSpec): ToolInput {
  if (takesPlainText(tool)) return `what to give to ${tool.name}`;
  const { properties, required } = tool.parameters ?? {};
  const fields = Object.entries(isRecord(properties) ? properties : {});
  const needed = fields.filter(([name]) => Array.isArray(required) && required.includes(name));
  return Object.fromEntries(
    (needed.length > 0 ? needed : fields).map(([name, schema]) => [name, exampleValue(schema)]),
  );
}

function exampleValue(schema: unknown): unknown {
  if (!isRecord(schema)) return "…";
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0];
  if ("default" in schema) return schema.default;
  switch (schema.type) {
    case "number":
    case "integer":
      return 1;
    case "boolean":
      return true;
    case "array":
      return [exampleValue(schema.items)];
    case "object":
      return {};
    default:
      return "…";
  }
}
