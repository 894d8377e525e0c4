import { parsedJson } from "../../../base/attempted.js";
import { numberOrDigits } from "../../../base/digits.js";
import { isRecord } from "../../../base/is-record.js";
import { mendedJson } from "../../../base/mended-json.js";
import type { ToolSpec } from "../../../core/parts/protocol.js";
import type { ToolInput } from "../../../core/state/decision.js";
import { listParameters } from "../../../core/tools/parameters.js";
import { inputText } from "./call-input.js";
import { JsonReader } from "./json-reader.js";

type Fields = Record<string, unknown>;

/** Returns the schemas of a tool's arguments by their names. */
export function schemasOf(tool: ToolSpec | undefined): Readonly<Record<string, unknown>> {
  return isRecord(tool?.parameters?.properties) ? tool.parameters.properties : {};
}

/** Returns the argument that one text is for: the only one, or the only one that is required. */
function onlyArgument(tool: ToolSpec | undefined) {
  const all = listParameters(tool?.parameters);
  const required = all.filter((parameter) => parameter.required);
  const [only, ...others] = required.length > 0 ? required : all;
  return others.length === 0 ? only : undefined;
}

/** The longest arguments without JSON that are read. */
const longest = 20_000;

/**
 * Reads the arguments in a call such as `f("x", n=2)` or `f(city: Paris)`, by the schema of the tool. Arguments with names become
 * an object, JSON too. Values without names belong to the arguments of the schema, in their order. A text for a tool with one text
 * argument stays a text.
 *
 * @param inForm Tells whether the call stands between the signs of a form. A variable is then no value, and `city: Paris` no text.
 * @returns The input, or undefined if it cannot be said which argument a value is for.
 */
export function readArguments(written: string, tool: ToolSpec | undefined, inForm = false): ToolInput | undefined {
  const text = written.trim();
  const json = text.startsWith("{") ? new JsonReader(text).read(text) : undefined;
  if (isRecord(json)) return json;
  const parts = text.length > longest ? [] : splitArguments(text);
  const named = readNamed(parts, tool);
  if (named) return parts.some(({ key, value }) => key && !isValue(value, schemasOf(tool)[key])) ? undefined : named;
  const only = inputText(text).text;
  if (Object.hasOwn(schemasOf(tool), only)) return undefined;
  if (tool?.parameters === undefined && inForm) {
    if (parts.length > 0 && parts.every(({ key }) => key !== undefined)) return typed(parts, tool);
    return /^[a-z_]\w*$/.test(text) ? undefined : only;
  }
  if (tool?.parameters === undefined) return only;
  if (isKeyed(parts) || (/^\w{1,80}=[^=\s]/.test(text) && !takesCode(tool))) return undefined;
  const most = Object.keys(schemasOf(tool)).length;
  if (most > 1 && parts.some(({ key }) => key !== undefined)) return undefined;
  if (most > 1 && parts.length > 1 && parts.every(({ value }) => literal(value) !== undefined)) {
    return parts.length <= most ? typed(parts, tool) : undefined;
  }
  const argument = onlyArgument(tool);
  if (!argument || !isValue(only, schemasOf(tool)[argument.name])) return undefined;
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
  const only = onlyArgument(tool);
  if (input !== "") return only ? { [only.name]: typedText(input, schemas[only.name]) } : input;
  return tool?.parameters !== undefined && only?.required !== true ? {} : input;
}

/** Tells whether a value in code can be read: a variable in the place of a number cannot. */
function isValue(written: string, schema: unknown): boolean {
  const types = typesOf(schema);
  return written === "" || types.length === 0 || types.includes("string") || literal(written) !== undefined;
}

/** Tells whether a tool may take the text of a program. */
function takesCode(tool: ToolSpec): boolean {
  const names = Object.keys(schemasOf(tool));
  return names.some((name) => /^(?:code|command|script|source|program|expression|sql|query|input)$/i.test(name));
}

/** Tells whether all arguments have names and quoted values. The tool has none of these names. */
function isKeyed(parts: readonly Argument[]): boolean {
  return parts.length > 0 && parts.every(({ key, value }) => key !== undefined && typeof literal(value) === "string");
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

const ends = String.raw`(?=\s{0,40}(?:[,)\]}:\n]|$))`;
/** A quoted text. A quote inside is a part of the text, if no further argument can follow that quote. */
const quoted = new RegExp(
  [
    String.raw`("""|''')[\s\S]*?\1`,
    String.raw`"(?:[^"\\]|\\[\s\S]|"(?!${ends}))*"${ends}`,
    String.raw`'(?:[^'\\]|\\[\s\S]|'(?!${ends}))*'${ends}`,
  ].join("|"),
  "y",
);

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

/**
 * Reads arguments of which some have names. The others come first, as in Python. Without a schema, and with a name that it does
 * not know, all values have to be those of a program.
 */
function readNamed(parts: readonly Argument[], tool: ToolSpec | undefined): Fields | undefined {
  const schemas = schemasOf(tool);
  const names = parts.flatMap(({ key }) => key ?? []);
  const known = names.filter((name) => Object.hasOwn(schemas, name));
  if (names.length === 0 || (known.length === 0 && onlyArgument(tool))) return undefined;
  if (known.length < names.length && tool?.parameters !== undefined) return undefined;
  const isProgram =
    parts.some(({ value }) => literal(value) !== undefined) &&
    parts.every(({ value }) => literal(value) !== undefined || /^\p{L}[\p{L}\p{N}_-]*$/u.test(value));
  if (known.length < names.length && !isProgram) return undefined;
  const others = Object.keys(schemas).length - known.length;
  return parts.length - names.length > others ? undefined : typed(parts, tool);
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
  return value === undefined || (value !== null && isOnlyText(schema)) ? typedText(written, schema) : value;
}

const constants: Readonly<Record<string, unknown>> = { true: true, false: false, null: null, none: null };

/** Returns the value of a literal of JSON, Python or JavaScript; undefined for any other text. */
function literal(written: string): unknown {
  const text = written.trim();
  quoted.lastIndex = 0;
  if (quoted.test(text) && quoted.lastIndex === text.length) return unquoted(text);
  if (Object.hasOwn(constants, text.toLowerCase())) return constants[text.toLowerCase()];
  if (/^[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text)) return numberOrDigits(text.replaceAll("_", ""));
  if (!/^(?:\[[\s\S]*\]|\{[\s\S]*\})$/.test(text)) return undefined;
  // A set of Python
  if (/^\{[^:{}]+\}$/.test(text)) return literal(`[${text.slice(1, -1)}]`);
  return parsedJson(text) ?? new JsonReader(text).read(text);
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\n": "" };

function unquoted(text: string): string {
  const length = /^(?:"""|''')/.test(text) && text.length >= 6 ? 3 : 1;
  const inside = text.slice(length, -length);
  return inside.replaceAll(/\\(u[\da-fA-F]{4}|[\s\S])/g, (whole, sign: string) => {
    if (sign.length > 1) return String.fromCharCode(Number.parseInt(sign.slice(1), 16));
    return escapes[sign] ?? (/[\\"'`/]/.test(sign) ? sign : whole);
  });
}

function typesOf(schema: unknown): readonly string[] {
  return listParameters({ type: "object", properties: { value: schema } })[0]?.types ?? [];
}

function isOnlyText(schema: unknown): boolean {
  const types = typesOf(schema);
  return types.length > 0 && types.every((type) => type === "string");
}

/**
 * Returns the value of a text by the schema of its argument. A text that the schema takes stays as it is.
 *
 * @param asJson Tells whether a text without a schema is JSON. Default: it is a text.
 */
export function typedText(text: string, schema: unknown, asJson = false): unknown {
  const types = typesOf(schema);
  if (types.includes("null") && text.trim() === "null") return null;
  const isOpen = types.length === 0 && !(isRecord(schema) && "$ref" in schema);
  if (isOpen ? !asJson : isOnlyText(schema)) return text;
  const value = literal(text);
  if (typeof value === "string" && types.includes("string")) return text;
  const fits = value !== undefined && (types.length === 0 || types.some((type) => isOfType(value, type)));
  return fits ? value : fromWord(text, types);
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isRecord(value);
  if (type === "null") return value === null;
  return typeof value === (type === "boolean" || type === "string" ? type : "number");
}

/** Reads what a model wrote for a value of another type: `1` for true, a list that is damaged. */
function fromWord(text: string, types: readonly string[]): unknown {
  const word = text.trim();
  if (types.includes("boolean") && /^[01]$/.test(word)) return word === "1";
  const isNested = /^(?:\[.*\]|\{.*\})$/s.test(word) && types.some((type) => type === "array" || type === "object");
  return isNested ? (parsedJson(mendedJson(word)) ?? text) : text;
}
