import { ambiguousBackslash, isAmbiguous } from "../base/ambiguous-backslash.js";
import { parsedJson } from "../base/attempted.js";
import { withDigits } from "../base/digits.js";
import { isRecord } from "../base/is-record.js";
import { mendedJson } from "../base/mended-json.js";
import { shorten } from "../base/shorten.js";
import { describeParameters, listParameters, type Parameter } from "./parameters.js";
import { type ToolInput, toArguments } from "./tool-input.js";
import { type DescribedTool, type ToolSpec, toolSpec } from "./tool-spec.js";
import { onlyParameter, typedText } from "./typed-text.js";

/** The result of {@link toolArguments}: the arguments to call the tool with, or the reason why there are none. */
export type ToolArguments =
  | { readonly kind: "arguments"; readonly args: ToolInput }
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Turns the input that a model wrote into the arguments of a tool. Only the syntax is handled here; the tool's schema
 * validates the values.
 *
 * A tool of one plain string gets the string, also out of `{input: "…"}`. A tool with a schema gets an object, in one
 * of three ways:
 *
 * - The model gave an object.
 * - The text is JSON. Single quotes, trailing commas and the like are repaired.
 * - The text is the value of a field, if only one field has to be filled. An empty text is `{}` if no field is
 *   required.
 *
 * @param tool Any LangChain tool.
 * @param toolInput Text from a prompted model, or the arguments of a native or JSON call.
 * @returns The arguments, or a `reason`: a sentence for the model, with the form that the tool takes. Never throws for
 *   an input.
 * @example
 * toolArguments(calculator(), "2 + 2");               // {kind: "arguments", args: {expression: "2 + 2"}}
 * toolArguments(weather, "{'city': 'Paris',}");       // {kind: "arguments", args: {city: "Paris"}}
 * toolArguments(move, "north");                       // {kind: "refused", reason: "The input must be a JSON object …"}
 */
export function toolArguments(tool: DescribedTool, toolInput: ToolInput): ToolArguments {
  return argumentsBy(toolSpec(tool), toolInput);
}

/**
 * Returns the arguments of a call by the names of the tool's schema, also if a prompted model wrote them as a text. What cannot be
 * read, and what no tool takes, stays a text under the name `input`.
 */
export function callArguments(
  { tool, toolInput }: { readonly tool: string; readonly toolInput: ToolInput },
  tools: readonly ToolSpec[],
): Record<string, unknown> {
  const spec = typeof toolInput === "string" ? tools.find(({ name }) => name === tool) : undefined;
  const read = spec && argumentsBy(spec, toolInput);
  return toArguments(read?.kind === "arguments" ? read.args : toolInput);
}

function argumentsBy({ parameters }: ToolSpec, toolInput: ToolInput): ToolArguments {
  if (parameters === undefined) return { kind: "arguments", args: plainString(toolInput) };
  if (typeof toolInput !== "string") return { kind: "arguments", args: withDigits(toolInput) };

  const args = readObject(toolInput, listParameters(parameters)) ?? fillOnlyField(toolInput, parameters);
  if (args && isAmbiguous(toolInput, args)) return { kind: "refused", reason: ambiguousBackslash };
  if (args) return { kind: "arguments", args };
  return { kind: "refused", reason: formReason(toolInput, describeParameters(parameters)) };
}

function plainString(toolInput: ToolInput): string {
  if (typeof toolInput === "string") return toolInput;
  const values = Object.values(toolInput);
  if (values.length === 0) return "";
  const value = toolInput.input ?? (values.length === 1 ? values[0] : toolInput);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * Reads a JSON object. A text that has to be repaired must name one of the fields, because prose and code have braces,
 * too.
 */
function readObject(text: string, fields: readonly Parameter[]): Record<string, unknown> | undefined {
  const json = withoutFence(text);
  if (!json.startsWith("{") || !json.endsWith("}")) return undefined;
  const exact = parseObject(json);
  if (exact) return exact;
  const repaired = parseObject(mendedJson(json));
  return repaired && fields.some(({ name }) => Object.hasOwn(repaired, name)) ? repaired : undefined;
}

function withoutFence(text: string): string {
  const fenced = /^```\w*\n([\s\S]*?)\n?```$/.exec(text.trim());
  return (fenced?.[1] ?? text).trim();
}

function parseObject(json: string): Record<string, unknown> | undefined {
  const value = parsedJson(json);
  return isRecord(value) ? value : undefined;
}

function fillOnlyField(text: string, parameters: unknown): Record<string, unknown> | undefined {
  const field = onlyParameter(parameters);
  if (text.trim() === "") return listParameters(parameters).some(({ required }) => required) ? undefined : {};
  if (!field || looksLikeObjectWith(field.name, text)) return undefined;
  return { [field.name]: typedText(text, field.schema) };
}

/** Tells whether a text is an object that was cut off. Example: `{"query": "Paris` is not a text to search for. */
function looksLikeObjectWith(name: string, text: string): boolean {
  return /^\{\s*["']?([\w-]+)["']?\s*:/.exec(withoutFence(text))?.[1] === name;
}

function formReason(text: string, form: string): string {
  const found = text.trim() === "" ? "it was empty" : `it was ${JSON.stringify(shorten(text.trim(), 120))}`;
  return `The input must be a JSON object of the form ${form}; ${found}.`;
}
