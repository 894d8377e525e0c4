import type { ToolSpec } from "./protocol.js";

/** Whether a tool is given plain text: it has no schema, or a schema with one text parameter. */
export function takesPlainText(tool: ToolSpec): boolean {
  if (tool.parameters === undefined || tool.parameters.type === "string") return true;
  const [only, ...others] = Object.values(propertiesOf(tool));
  return isRecord(only) && only.type === "string" && others.length === 0;
}

/** Whether a tool's schema has no parameters at all. */
export function takesNoInput(tool: ToolSpec): boolean {
  return tool.parameters?.type === "object" && Object.keys(propertiesOf(tool)).length === 0;
}

/** Whether a tool can be called without an input: its schema requires none. */
export function inputIsOptional(tool: ToolSpec): boolean {
  const { parameters } = tool;
  return parameters?.type === "object" && !(Array.isArray(parameters.required) && parameters.required.length > 0);
}

function propertiesOf({ parameters }: ToolSpec): Record<string, unknown> {
  return isRecord(parameters?.properties) ? parameters.properties : {};
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
