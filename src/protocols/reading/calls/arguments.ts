import { isRecord } from "../../../base/is-record.js";
import { literal, quoted } from "../../../base/literal.js";
import { typesOf } from "../../../tool-inputs/parameters.js";
import type { ToolInput } from "../../../tool-inputs/tool-input.js";
import type { ToolSpec } from "../../../tool-inputs/tool-spec.js";
import { isOnlyText, onlyParameter, typedText } from "../../../tool-inputs/typed-text.js";
import { inputText } from "./call-input.js";
import { JsonReader } from "./json-reader.js";

type Fields = Record<string, unknown>;

/** Returns the schemas of a tool's arguments by their names. */
export function schemasOf(tool: ToolSpec | undefined): Readonly<Record<string, unknown>> {
  return isRecord(tool?.parameters?.properties) ? tool.parameters.properties : {};
}

/** The longest arguments without JSON that are read. */
const longest = 20_000;

/**
 * Reads the arguments in a call such as `f("x", n=2)` or `f(city: Paris)`, by the schema of the tool. Arguments with names become
 * an object, JSON too. Values without names come first, as in Python, and belong to the arguments of the schema in their order. A
 * text for a tool with one text argument stays a text.
 *
 * @param inForm Tells whether the call stands between the signs of a form. A variable is then no value, and `city: Paris` no text.
 * @returns The input, or undefined if it cannot be said which argument a value is for.
 */
export function readArguments(written: string, tool: ToolSpec | undefined, inForm = false): ToolInput | undefined {
  const text = written.trim();
  const json = text.startsWith("{") ? new JsonReader(text).read(text) : undefined;
  if (isRecord(json)) return json;
  const parts = text.length > longest ? [] : splitArguments(text);
  const schemas = schemasOf(tool);
  const most = Object.keys(schemas).length;
  const keys = parts.flatMap(({ key }) => key ?? []);
  const isKeyed = keys.length > 0 && keys.length === parts.length;
  if (tool?.parameters === undefined) {
    if (isKeyed && (inForm || isProgram(parts))) return typed(parts, tool);
    return inForm && /^[a-z_]\w*$/.test(text) ? undefined : inputText(text).text;
  }
  const isRow =
    keys.length > 0
      ? keys.every((key) => Object.hasOwn(schemas, key))
      : most > 1 && parts.length > 1 && parts.every(({ value }) => literal(value) !== undefined);
  if (isRow) return parts.length <= most ? typed(parts, tool) : undefined;
  if (keys.length > 0 && (most > 1 || (/^\w{1,80}=[^=\s]/.test(text) && !takesCode(tool)))) return undefined;
  if (isKeyed && parts.every(({ value }) => typeof literal(value) === "string")) return undefined;
  const only = inputText(text).text;
  const argument = onlyParameter(tool.parameters);
  if (!argument || Object.hasOwn(schemas, only)) return undefined;
  return argument.types.includes("string") ? only : fitted(only, tool);
}

/**
 * Reads a text of arguments that all have names of the tool's schema: `city="Paris", days: 2`. Returns undefined for any
 * other text, which is the input itself.
 */
export function namedArguments(text: string, tool: ToolSpec | undefined): Fields | undefined {
  if (text.length > longest || !/[=:]/.test(text)) return undefined;
  const parts = splitArguments(text.trim());
  const schemas = schemasOf(tool);
  return parts.every(({ key }) => key !== undefined && Object.hasOwn(schemas, key)) ? typed(parts, tool) : undefined;
}

/** Returns an input by the schema of its tool: a text fills the only argument, and the text `"2"` is a number for a number. */
export function fitted(input: ToolInput, tool: ToolSpec | undefined): ToolInput {
  const schemas = schemasOf(tool);
  if (typeof input !== "string") {
    const fields = Object.entries(input).map(([key, value]) => [
      key,
      typeof value === "string" ? typedText(value, schemas[key]) : value,
    ]);
    return Object.fromEntries(fields);
  }
  const only = onlyParameter(tool?.parameters);
  if (input !== "") return only ? { [only.name]: typedText(input, only.schema) } : input;
  return tool?.parameters !== undefined && only?.required !== true ? {} : input;
}

/** Tells whether a tool may take the text of a program. */
function takesCode(tool: ToolSpec): boolean {
  const names = Object.keys(schemasOf(tool));
  return names.some((name) => /^(?:code|command|script|source|program|expression|sql|query|input)$/i.test(name));
}

/** Tells whether arguments are those of a program: literals, and words. */
function isProgram(parts: readonly Argument[]): boolean {
  const isLiteral = ({ value }: Argument) => literal(value) !== undefined;
  return parts.some(isLiteral) && parts.every((part) => isLiteral(part) || /^\p{L}[\p{L}\p{N}_-]*$/u.test(part.value));
}

interface Argument {
  readonly key?: string;
  readonly value: string;
}

const keyed = /^["'`]?([\p{L}_][\p{L}\p{N}_.\\-]{0,80})["'`]?\s{0,9}(?:=(?!=)|:(?!\/\/))\s{0,99}([\s\S]*)$/u;

/** Splits arguments at the commas and line ends between them. A piece without a name belongs to the value before it. */
function splitArguments(text: string): Argument[] {
  const found: Argument[] = [];
  for (const piece of piecesOf(text)) {
    const [, name, value = piece] = keyed.exec(piece.trim()) ?? [];
    const key = name?.replaceAll("\\", "");
    const before = found.at(-1);
    if (key === undefined && before?.key !== undefined) {
      found[found.length - 1] = { ...before, value: `${before.value}, ${piece.trim()}` };
    } else found.push({ ...(key !== undefined && { key }), value: value.trim() });
  }
  return found;
}

/** Returns the pieces of a text between the commas and line ends that stand in no quotes and no brackets. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let [start, depth] = [0, 0];
  /** The quotes without an end. No later one of their kind has an end either. */
  let open = "";
  for (let place = 0; place < text.length; place += 1) {
    const sign = text.charAt(place);
    if (
      /["']/.test(sign) &&
      !open.includes(sign) &&
      /[=:([{,\n]\s*$|^\s*$/.test(text.slice(Math.max(start, place - 20), place))
    ) {
      quoted.lastIndex = place;
      if (quoted.test(text)) place = quoted.lastIndex - 1;
      else open += sign;
    } else if ("([{".includes(sign)) depth += 1;
    else if (")]}".includes(sign)) depth -= 1;
    else if (depth <= 0 && (sign === "," || sign === "\n")) {
      pieces.push(text.slice(start, place));
      start = place + 1;
    }
  }
  return [...pieces, text.slice(start)].filter((piece) => piece.trim() !== "");
}

/** Returns the values by their names. A value without one gets the next name of the schema. */
function typed(parts: readonly Argument[], tool: ToolSpec | undefined): Fields {
  const schemas = schemasOf(tool);
  const others = Object.keys(schemas).filter((name) => !parts.some(({ key }) => key === name));
  return Object.fromEntries(
    parts.map(({ key, value }, n) => {
      const name = key ?? others[n] ?? "";
      return [name, typedLiteral(value, schemas[name])];
    }),
  );
}

/** Returns the value of a literal by its schema. A text without quotes stays a text. */
function typedLiteral(written: string, schema: unknown): unknown {
  const value = literal(written);
  if (typeof value === "string") return typedText(value, schema);
  return value === undefined || (value !== null && isOnlyText(typesOf(schema))) ? typedText(written, schema) : value;
}
