import { isRecord } from "../base/is-record.js";
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

/**
 * Whether a call without an input is whole. The tool's schema says so where there is one. Without one its name decides:
 * a tool that lists or reads something fixed needs nothing, one that searches or computes needs to be told what.
 *
 * @param otherwise The answer for a name that says nothing either way.
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

/** `sql_db_list_tables` as sql, db, list, tables; a `list` tool of a database needs no more than its name. */
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
