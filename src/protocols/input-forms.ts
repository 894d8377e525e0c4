import { isRecord } from "../base/is-record.js";
import type { ToolSpec } from "../tool-inputs/tool-spec.js";

/** Tells whether a tool takes plain text. Such a tool has no schema, or a schema with one text parameter. */
export function takesPlainText(tool: ToolSpec): boolean {
  if (tool.parameters === undefined || tool.parameters.type === "string") return true;
  const [only, ...others] = Object.values(propertiesOf(tool));
  return isRecord(only) && only.type === "string" && others.length === 0;
}

/** Tells whether the schema of a tool has no parameters. */
export function takesNoInput(tool: ToolSpec): boolean {
  return tool.parameters?.type === "object" && Object.keys(propertiesOf(tool)).length === 0;
}

/**
 * Tells whether a call without an input is complete. The schema of the tool decides, if there is one. Otherwise the
 * name of the tool decides: `list_files` needs no input.
 */
export function canOmitInput(tool: ToolSpec | string): boolean {
  const parameters = typeof tool === "string" ? undefined : tool.parameters;
  if (parameters?.type === "object") return !(Array.isArray(parameters.required) && parameters.required.length > 0);
  return wordsOf(typeof tool === "string" ? tool : tool.name).some((word) => wantsNone.has(word));
}

const wantsNone = new Set(
  (
    "list lists current now today date time datetime day clock fixed all status state help test tests ping random " +
    "refresh reload reset health version whoami context info"
  ).split(" "),
);

/**
 * Splits a name into its words. A name with `list` loses its database words: `sql_db_list_tables` becomes `list` and
 * `tables`. A tool that lists a database needs no input.
 */
function wordsOf(name: string): string[] {
  const words = name
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  return words.some((word) => word === "list" || word === "lists")
    ? words.filter((word) => word !== "sql" && word !== "db" && word !== "database")
    : words;
}

function propertiesOf({ parameters }: ToolSpec): Record<string, unknown> {
  return isRecord(parameters?.properties) ? parameters.properties : {};
}
