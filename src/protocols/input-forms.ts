import { isRecord } from "../base/is-record.js";
import type { ToolSpec } from "../core/parts/protocol.js";

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
 * name of the tool decides. A tool such as `list_files` needs no input, a tool such as `search` does.
 *
 * @param otherwise The result for a name that says neither.
 */
export function canOmitInput(tool: ToolSpec | string, otherwise = false): boolean {
  const parameters = typeof tool === "string" ? undefined : tool.parameters;
  if (parameters?.type === "object") return !(Array.isArray(parameters.required) && parameters.required.length > 0);
  const words = wordsOf(typeof tool === "string" ? tool : tool.name);
  if (words.some((word) => wantsInput.has(word))) return false;
  return otherwise || words.some((word) => wantsNone.has(word));
}

const wantsNone = new Set(
  (
    "list lists current now today date time datetime day clock fixed all status state help test tests ping random " +
    "refresh reload reset health version whoami context info"
  ).split(" "),
);
const wantsInput = new Set(
  (
    "search query find lookup look ask calculator calculate calc compute math evaluate eval repl python code " +
    "exec execute shell terminal bash command sql write create update edit delete remove add insert send post put translate " +
    "summarize summary summarizer schema wikipedia wiki wolfram google bing duckduckgo tavily serp serpapi arxiv browse " +
    "browser crawl scrape fetch download open url web webpage website convert multiply divide retrieve retriever weather " +
    "email mail message delegate agent index database db knowledge base checker planner image generator"
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
